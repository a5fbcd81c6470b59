import { newId } from '@sigcast/runtime';
import type { Batch, ChangeLog, Draft, LogPosition } from './change-log.ts';
import type { AggregateSource, Fact, Source } from './source.ts';
import { createView, type View } from './view.ts';

type ReplicaParts = {
  readonly source: Source;
  readonly log: ChangeLog;
  readonly spec: Pick<AggregateSource, 'measures' | 'distributions'>;
  readonly now: () => Date;
};

/** The state of the aggregates at one moment: the view of the log, and the dirty documents. */
export type Snapshot = {
  readonly view: View;
  /** When reading it began, by this process's clock. Every earlier write is in it. */
  readonly at: Date;
  /** The last batch in the view when reading it began. */
  readonly number: number;
  readonly dirty: readonly Fact[];
  /** Whether `dirty` holds all dirty documents, not only those since a watermark. */
  readonly isAll: boolean;
};

/**
 * A scan of the index steps over entries of documents that are clean again, which MongoDB keeps for five minutes (see
 * `minSnapshotHistoryWindowInSeconds`): many, where hundreds of documents change a second. So a snapshot reads documents that
 * became dirty since the oldest known one, or within this time: more than a write takes and clocks differ. Every
 * `readAllEveryMs` a snapshot reads all dirty documents.
 */
const lateMs = 90_000;
const readAllEveryMs = 30_000;

/** How long states of changed documents are cached. By then the documents themselves say what is counted of them. */
const recentStatesMs = 60_000;

export type Replica = ReturnType<typeof openReplica>;

/** This process's copy of the aggregates in memory, which follows the log. */
export function openReplica({ source, log, spec, now }: ReplicaParts) {
  const by = newId('agg');
  let dirtyFrom: Date | undefined;
  let allReadAtMs = Number.NEGATIVE_INFINITY;
  let view: View | undefined;
  let isComplete = false;
  let newest: Snapshot | undefined;
  let exactAt: Date | undefined;
  let othersSeenAtMs = Number.NEGATIVE_INFINITY;

  /**
   * Loads the view from checkpoint and log. The view is empty, and not built, where batches behind the checkpoint are missing,
   * or an hour was not stored.
   */
  const load = async (): Promise<void> => {
    const { checkpoint, isBuilt: built } = await log.state();
    const hours = await log.readHours();
    const batches = await log.readAfter(checkpoint.number);
    const loaded = createView(spec, checkpoint);
    loaded.restore(hours);
    const isWhole =
      hours.every(({ cells }) => cells) && batches.every((batch) => loaded.apply(batch, performance.now()));
    if (isWhole) {
      [view, isComplete] = [loaded, built];
      return;
    }
    // A later checkpoint removed batches meanwhile.
    if ((await log.state()).checkpoint.number !== checkpoint.number) return load();
    await log.setBuilt(false);
    const empty = createView(spec, batches.at(-1) ?? checkpoint);
    for (const batch of batches) empty.cacheStates(batch, performance.now());
    empty.markUnsaved(hours);
    [view, isComplete] = [empty, false];
  };

  let loading: Promise<void> | undefined;
  const reload = async (): Promise<View> => {
    loading ??= load().finally(() => {
      loading = undefined;
    });
    await loading;
    return catchUp();
  };

  /** Applies the new batches of the log. Loads the view again where a batch is missing. */
  const catchUp = async (): Promise<View> => {
    const current = view;
    if (!current) return reload();
    for (const batch of await log.readAfter(current.position().number)) {
      if (batch.number <= current.position().number) continue;
      if (!current.apply(batch, performance.now())) return view === current ? reload() : catchUp();
      if (batch.changes.length > 0 && batch.by !== by) othersSeenAtMs = performance.now();
      // An instant by a clock that is ahead proves nothing.
      if (batch.asOf && batch.asOf <= now()) noteExact(batch.asOf);
    }
    return current;
  };

  /** Reads dirty documents before the log: a document is marked as counted after its batch, which is then in the view. */
  const readSnapshot = async (): Promise<Snapshot> => {
    for (;;) {
      const at = now();
      const before = view;
      const number = before?.position().number ?? 0;
      const [dirtySinceMs, startedMs] = [Date.now() - lateMs, performance.now()];
      const from = startedMs - allReadAtMs > readAllEveryMs ? undefined : dirtyFrom;
      const dirty = await source.dirty(from);
      const current = await catchUp();
      // Read again where the view was loaded meanwhile, or has a later state of a document that was clean in between.
      if (current !== before || dirty.some((fact) => current.isBehind(fact, startedMs))) continue;
      let oldestMs = dirtySinceMs;
      for (const { dirtyAt } of dirty) oldestMs = Math.min(oldestMs, dirtyAt?.getTime() ?? oldestMs);
      dirtyFrom = new Date(oldestMs);
      if (!from) allReadAtMs = startedMs;
      newest = { view: current, at, number, dirty, isAll: from === undefined };
      current.evictStates(startedMs - recentStatesMs, new Set(dirty.map(({ id }) => id)));
      if (notCounted(newest).length === 0) noteExact(at);
      return newest;
    }
  };
  const noteExact = (at: Date) => {
    // An instant in the future was noted before the clock was set back.
    if (!exactAt || at > exactAt || exactAt > now()) exactAt = at;
  };
  let running: Promise<Snapshot> | undefined;
  let next: Promise<Snapshot> | undefined;

  return {
    catchUp,
    current: async (): Promise<View> => view ?? catchUp(),
    /** A snapshot that is begun after the call, shared with concurrent callers. */
    takeSnapshot: (): Promise<Snapshot> => {
      const begin = () => {
        running = readSnapshot().finally(() => {
          running = undefined;
        });
        return running;
      };
      if (!running) return begin();
      next ??= running
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          return running ?? begin();
        });
      return next;
    },
    /** The newest snapshot, if there is one. */
    newestSnapshot: () => newest,
    /** The view counts every change before this instant; undefined while no such instant is known. */
    exactAt: () => (exactAt && exactAt <= now() ? exactAt : undefined),
    /** When a batch of another process was last seen, as `performance.now()`. */
    othersSeenAtMs: () => othersSeenAtMs,

    /** Appends a batch after `position`. @returns false when another process has appended one there. */
    append: async (position: LogPosition, draft: Omit<Draft, 'by'>): Promise<boolean> => {
      const batch: Batch | undefined = await log.append(position, { ...draft, by });
      if (!batch) return false;
      const isApplied = view?.apply(batch, performance.now()) ?? false;
      if (isApplied && batch.asOf) noteExact(batch.asOf);
      return true;
    },

    /** Whether the view counts all documents, as far as this process knows. */
    isComplete: () => isComplete,
    isBuilt: async (): Promise<boolean> => {
      if (isComplete) return true;
      // The state before the log: what the state says is built is then in the log.
      const state = await log.state();
      const before = view;
      if ((await catchUp()) === before) isComplete ||= state.isBuilt;
      return isComplete;
    },
    /** Records that a view counts all documents. */
    setBuilt: async (built: View): Promise<void> => {
      await log.setBuilt(true);
      if (built === view) isComplete = true;
    },
  };
}

/** The dirty documents whose state is not in the log yet. */
export function notCounted({ dirty, view }: Snapshot): readonly Fact[] {
  return dirty.filter((fact) => (view.counted(fact)?.rev ?? 0) < fact.rev);
}
