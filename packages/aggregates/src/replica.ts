import { newId } from '@sigcast/runtime';
import type { Batch, ChangeLog, Draft, Place } from './change-log.ts';
import type { Measure } from './figures.ts';
import type { Fact, Source } from './source.ts';
import { createView, type View } from './view.ts';

export type ReplicaParts = {
  readonly source: Source;
  readonly log: ChangeLog;
  readonly measures: readonly Measure[];
  readonly now: () => Date;
};

/** What was found at one moment: what the log says, and what is dirty besides. */
export type Look = {
  readonly view: View;
  /** When it began, by this process's clock. */
  readonly at: Date;
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
export function openReplica({ source, log, measures, now }: ReplicaParts) {
  const by = newId('agg');
  let dirtyFrom: Date | undefined;
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  let sweepsAlways = false;
  let view: View | undefined;
  let isBuilt = false;
  let newest: Look | undefined;
  let exactAt: Date | undefined;
  let othersSeenAtMs = Number.NEGATIVE_INFINITY;

  /** The view from what is stored; empty, and not built, where the log does not lead on from there. */
  const load = async (): Promise<View> => {
    const { checkpoint, isBuilt: built } = await log.state();
    const hours = await log.readHours();
    const batches = await log.readAfter(checkpoint.number);
    const loaded = createView(measures, checkpoint);
    loaded.restore(hours);
    const isWhole = batches.every((batch) => loaded.apply(batch, performance.now()));
    if (!isWhole) await log.setBuilt(false);
    isBuilt = isWhole && built;
    if (isWhole) return loaded;
    const empty = createView(measures, batches.at(-1) ?? checkpoint);
    for (const batch of batches) empty.remember(batch, performance.now());
    return empty;
  };

  const reload = async (): Promise<View> => {
    view = await load();
    return view;
  };

  /** Applies what the log has more. Where that does not lead on from what is known, all is loaded again. */
  const catchUp = async (): Promise<View> => {
    const current = view;
    if (!current) return reload();
    for (const batch of await log.readAfter(current.at().number)) {
      if (batch.number <= current.at().number) continue;
      if (!current.apply(batch, performance.now())) return reload();
      if (batch.changes.length > 0 && batch.by !== by) othersSeenAtMs = performance.now();
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
      const startedMs = Date.now();
      const from = sweepsAlways || startedMs - sweptAtMs > sweepEveryMs ? undefined : dirtyFrom;
      const dirty = await source.dirty(from);
      const current = await catchUp();
      if (current !== before) continue; // loaded since, so what is dirty was found too early
      const since = dirty.map(({ dirtyAt }) => dirtyAt?.getTime() ?? startedMs);
      dirtyFrom = new Date(Math.min(startedMs - lateMs, ...since));
      if (!from) sweptAtMs = startedMs;
      newest = { view: current, at, dirty, isAll: from === undefined };
      current.forget(performance.now() - rememberMs, new Set(dirty.map(({ id }) => id)));
      const asOf = notCounted(newest).length === 0 ? at : current.asOf();
      if (asOf) noteExact(new Date(Math.min(asOf.getTime(), at.getTime())));
      return newest;
    }
  };
  const noteExact = (at: Date) => {
    if (!exactAt || at > exactAt) exactAt = at;
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
          return begin();
        });
      return nextLook;
    },
    /** Whether every look is to find all that is dirty. */
    sweepAlways: (wanted: boolean): void => {
      sweepsAlways = wanted;
    },
    /** The newest look, if there was one. */
    newest: () => newest,
    /** Every change made before this instant is in the view. */
    exactAt: () => exactAt,
    /** When a batch of another process was last seen, as `performance.now()`. */
    othersSeenAtMs: () => othersSeenAtMs,

    /** Appends a batch behind a place. @returns false when another has taken it. */
    append: async (place: Place, draft: Omit<Draft, 'by'>): Promise<boolean> => {
      const batch: Batch | undefined = await log.append(place, { ...draft, by });
      if (!batch) return false;
      view?.apply(batch, performance.now());
      if (batch.asOf) noteExact(batch.asOf);
      return true;
    },

    isBuilt: async (): Promise<boolean> => {
      await catchUp();
      isBuilt ||= (await log.state()).isBuilt;
      return isBuilt;
    },
    setBuilt: async (): Promise<void> => {
      await log.setBuilt(true);
      isBuilt = true;
    },
  };
}

/** What is dirty and not in the log yet. */
export function notCounted({ dirty, view }: Look): readonly Fact[] {
  return dirty.filter((fact) => (view.counted(fact)?.rev ?? 0) < fact.rev);
}
