import { newId } from '@sigcast/runtime';
import type { Batch, ChangeLog, Draft, Place } from './change-log.ts';
import type { AggregateSource, Fact, Source } from './source.ts';
import { createView, type View } from './view.ts';

export type ReplicaParts = {
  readonly source: Source;
  readonly log: ChangeLog;
  readonly spec: Pick<AggregateSource, 'measures' | 'distribution'>;
  readonly now: () => Date;
};

/** What was found at one moment: what the log says, and what is dirty besides. */
export type Look = {
  readonly view: View;
  /** When it began, by this process's clock. */
  readonly at: Date;
  /** The last batch that this process knew when it began. */
  readonly number: number;
  readonly dirty: readonly Fact[];
  /** Whether that is all that is dirty, whenever it became so. */
  readonly isAll: boolean;
};

/**
 * Where deleted index entries stay until a vacuum, as in the development engine, looking for all that is dirty reads the
 * entries of all that was. So a look takes in what became dirty since the oldest that is so still, or within this time,
 * which is more than a write takes and clocks differ; and now and then all.
 */
const lateMs = 90_000;
const sweepEveryMs = 30_000;

/** By then a document says itself what is counted of it. */
const rememberMs = 60_000;

export type Replica = ReturnType<typeof openReplica>;

/** The aggregates in the memory of this process, kept up with the log. */
export function openReplica({ source, log, spec, now }: ReplicaParts) {
  const by = newId('agg');
  let dirtyFrom: Date | undefined;
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  let view: View | undefined;
  let hasAll = false;
  let newest: Look | undefined;
  let exactAt: Date | undefined;
  let othersSeenAtMs = Number.NEGATIVE_INFINITY;

  /** The view from what is stored; empty, and not built, where the log does not lead on from there. */
  const load = async (): Promise<void> => {
    const { checkpoint, isBuilt: built } = await log.state();
    const hours = await log.readHours();
    const batches = await log.readAfter(checkpoint.number);
    const loaded = createView(spec, checkpoint);
    loaded.restore(hours);
    const isWhole = batches.every((batch) => loaded.apply(batch, performance.now()));
    if (isWhole) {
      [view, hasAll] = [loaded, built];
      return;
    }
    // A later checkpoint took batches away meanwhile.
    if ((await log.state()).checkpoint.number !== checkpoint.number) return load();
    await log.setBuilt(false);
    const empty = createView(spec, batches.at(-1) ?? checkpoint);
    for (const batch of batches) empty.remember(batch, performance.now());
    empty.giveBackUnsaved(hours);
    [view, hasAll] = [empty, false];
  };

  let loading: Promise<void> | undefined;
  const reload = async (): Promise<View> => {
    loading ??= load().finally(() => {
      loading = undefined;
    });
    await loading;
    return catchUp();
  };

  /** Applies what the log has more. Where that does not lead on from what is known, all is loaded again. */
  const catchUp = async (): Promise<View> => {
    const current = view;
    if (!current) return reload();
    for (const batch of await log.readAfter(current.at().number)) {
      if (batch.number <= current.at().number) continue;
      if (!current.apply(batch, performance.now())) return view === current ? reload() : catchUp();
      if (batch.changes.length > 0 && batch.by !== by) othersSeenAtMs = performance.now();
      // A clock that is ahead says nothing about when it was.
      if (batch.asOf && batch.asOf <= now()) noteExact(batch.asOf);
    }
    return current;
  };

  /**
   * Finds what is dirty, then what the log has more. In this order: what a document says is counted of it was in the log
   * when it was read, so it is in the view now.
   */
  const look = async (): Promise<Look> => {
    for (;;) {
      const at = now();
      const before = view;
      const number = before?.at().number ?? 0;
      const [dirtySinceMs, startedMs] = [Date.now() - lateMs, performance.now()];
      const from = startedMs - sweptAtMs > sweepEveryMs ? undefined : dirtyFrom;
      const dirty = await source.dirty(from);
      const current = await catchUp();
      // What is dirty was found too early: the view was loaded since, or has a later state of one that was clean meanwhile.
      if (current !== before || dirty.some((fact) => current.isBehind(fact, startedMs))) continue;
      let oldestMs = dirtySinceMs;
      for (const { dirtyAt } of dirty) oldestMs = Math.min(oldestMs, dirtyAt?.getTime() ?? oldestMs);
      dirtyFrom = new Date(oldestMs);
      if (!from) sweptAtMs = startedMs;
      newest = { view: current, at, number, dirty, isAll: from === undefined };
      current.forget(startedMs - rememberMs, new Set(dirty.map(({ id }) => id)));
      if (notCounted(newest).length === 0) noteExact(at);
      return newest;
    }
  };
  const noteExact = (at: Date) => {
    // What lies ahead is of a clock that was set back.
    if (!exactAt || at > exactAt || exactAt > now()) exactAt = at;
  };
  let looking: Promise<Look> | undefined;
  let nextLook: Promise<Look> | undefined;

  return {
    catchUp,
    current: async (): Promise<View> => view ?? catchUp(),
    /** A look that begins after the call, shared with whoever else wants one. */
    look: (): Promise<Look> => {
      const begin = () => {
        looking = look().finally(() => {
          looking = undefined;
        });
        return looking;
      };
      if (!looking) return begin();
      nextLook ??= looking
        .catch(() => undefined)
        .then(() => {
          nextLook = undefined;
          return looking ?? begin();
        });
      return nextLook;
    },
    /** The newest look, if there was one. */
    newest: () => newest,
    /** Every change made before this instant is in the view; undefined while that is not known of any. */
    exactAt: () => (exactAt && exactAt <= now() ? exactAt : undefined),
    /** When a batch of another process was last seen, as `performance.now()`. */
    othersSeenAtMs: () => othersSeenAtMs,

    /** Appends a batch behind a place. @returns false when another has taken it. */
    append: async (place: Place, draft: Omit<Draft, 'by'>): Promise<boolean> => {
      const batch: Batch | undefined = await log.append(place, { ...draft, by });
      if (!batch) return false;
      const isApplied = view?.apply(batch, performance.now()) ?? false;
      if (isApplied && batch.asOf) noteExact(batch.asOf);
      return true;
    },

    /** Whether the view has all, as far as this process knows. */
    hasAll: () => hasAll,
    isBuilt: async (): Promise<boolean> => {
      if (hasAll) return true;
      // In this order: what has been built by then is in the log.
      const state = await log.state();
      const before = view;
      if ((await catchUp()) === before) hasAll ||= state.isBuilt;
      return hasAll;
    },
    /** Notes that a view has all. */
    setBuilt: async (built: View): Promise<void> => {
      await log.setBuilt(true);
      if (built === view) hasAll = true;
    },
  };
}

/** What is dirty and not in the log yet. */
export function notCounted({ dirty, view }: Look): readonly Fact[] {
  return dirty.filter((fact) => (view.counted(fact)?.rev ?? 0) < fact.rev);
}
