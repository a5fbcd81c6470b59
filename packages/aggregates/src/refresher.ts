import { isDeepStrictEqual } from 'node:util';
import { unavailable } from '@sigcast/contracts';
import { allTime, type Cell } from './cells.ts';
import type { Change, ChangeLog } from './change-log.ts';
import { type Distributions, mergePacked } from './distribution.ts';
import { type Figures, type Measure, merge } from './figures.ts';
import { recount } from './recount.ts';
import { notCounted, type Replica, type Snapshot } from './replica.ts';
import type { Source } from './source.ts';
import type { View } from './view.ts';

type RefresherParts = {
  readonly source: Source;
  readonly log: ChangeLog;
  readonly measures: readonly Measure[];
  readonly replica: Replica;
  readonly now: () => Date;
};

/** Changes of one batch at most: few enough for a fraction of a second. */
const changesAtMost = 2_000;
/** Documents that are counted together while all are counted again. */
const recountAtOnce = 2_000;
/** How long batches are kept at least, for processes that are behind. */
const keepBatchesMs = 10 * 60_000;
/** Between two checkpoints of a process. */
const checkpointEveryMs = 60_000;

/** Appends changes to the log, and keeps its cells correct. */
export function openRefresher({ source, log, measures, replica, now }: RefresherParts) {
  let auditedToMs = allTime.fromMs;
  let checkpointedAtMs = Number.NEGATIVE_INFINITY;

  /**
   * Appends the states of dirty documents to the log, then clears their dirty flags. If this process dies in between, the
   * next refresh finds the documents dirty and their states in the log, and clears the flags.
   * @returns false when there may be more to do.
   */
  const refresh = async (given?: Snapshot): Promise<boolean> => {
    const snapshot = given ?? (await replica.takeSnapshot());
    const { view, dirty } = snapshot;
    const position = view.position();
    const waiting = notCounted(snapshot);
    const changes = waiting.slice(0, changesAtMost).map((fact): Change => {
      const { id, type, createdAtMs, dirtyAt = snapshot.at, rev, state } = fact;
      return { id, type, createdAtMs, dirtyAt, before: view.counted(fact), after: { rev, state } };
    });
    if (changes.length > 0) {
      const replaced = await Promise.all(
        view.cellsToRecount(changes).map((span) => recount({ source, view, measures }, span, changes)),
      );
      const asOf = changes.length === waiting.length ? snapshot.at : undefined;
      if (!(await replica.append(position, { asOf, changes, replaced }))) return false;
    }
    const counted = dirty.flatMap((fact) => {
      const state = view.counted(fact);
      if (!state || !fact.dirtyAt || state.rev <= (fact.counted?.rev ?? 0)) return [];
      return [{ rev: state.rev, state: state.state, id: fact.id, dirtyAt: fact.dirtyAt }];
    });
    if (counted.length > 0) await source.markCounted(counted);
    const isDue = performance.now() - checkpointedAtMs > checkpointEveryMs;
    // A checkpoint removes batches, so all documents must say what is counted of them up to this batch. That is unknown
    // for batches that other processes appended since the snapshot.
    const isLast = view.position().number === snapshot.number + (changes.length > 0 ? 1 : 0);
    if (isLast && isDue && snapshot.isAll) await checkpoint(snapshot);
    return changes.length === waiting.length;
  };

  const checkpoint = async ({ view }: Snapshot) => {
    const position = view.position();
    const hours = view.takeUnsaved();
    try {
      await log.saveCheckpoint(position, hours, new Date(now().getTime() - keepBatchesMs));
    } catch (error) {
      view.markUnsaved(hours);
      throw error;
    }
    checkpointedAtMs = performance.now();
  };

  /**
   * Counts some documents again, from an instant on, and corrects the view.
   * @returns the instant to go on from, and whether the view was right; undefined when another process appended a batch
   * meanwhile.
   */
  const recountFrom = async (
    view: View,
    ms: number,
  ): Promise<{ toMs: number; wasRight: boolean } | undefined> => {
    const position = view.position();
    const fromMs = view.cellBounds(ms).fromMs;
    const lastMs = await source.createdAfter(fromMs, recountAtOnce);
    const toMs = lastMs === undefined ? allTime.toMs : view.cellBounds(lastMs).toMs;
    const range = await recount({ source, view, measures }, { fromMs, toMs });
    if (view.position().number !== position.number) return undefined;
    const now = [...view.cellsIn(range)];
    const counted = range.cells.map(view.distributions.toCell);
    const wasRight =
      isDeepStrictEqual(figuresOf(measures, now), figuresOf(measures, counted)) &&
      view.distributions.names.every((name) =>
        isDeepStrictEqual(distributionsOf(now, name), distributionsOf(counted, name)),
      );
    if (!wasRight && !(await replica.append(position, { changes: [], replaced: [range] }))) return undefined;
    return { toMs, wasRight };
  };

  const recountAll = async (signal?: AbortSignal) => {
    let view = await replica.catchUp();
    let { fromMs } = allTime;
    while (fromMs < allTime.toMs && !signal?.aborted) {
      const current = await replica.catchUp();
      if (current !== view) ({ fromMs } = allTime); // loaded again, and maybe empty
      view = current;
      fromMs = (await recountFrom(view, fromMs))?.toMs ?? fromMs;
    }
    if (!signal?.aborted) await replica.setBuilt(view);
  };

  return {
    refresh,
    rebuild: recountAll,
    /** Checks some documents against the view, the next ones at the next call. @returns false when the view was wrong. */
    audit: async (): Promise<boolean> => {
      const done = await recountFrom(await replica.catchUp(), auditedToMs);
      if (done) auditedToMs = done.toMs < allTime.toMs ? done.toMs : allTime.fromMs;
      return done?.wasRight ?? true;
    },
    build: async (signal?: AbortSignal): Promise<void> => {
      if (!(await replica.isBuilt())) await recountAll(signal);
      if (!signal?.aborted && !(await replica.isBuilt())) throw unavailable('The figures');
    },
  };
}

/** The figures of some cells together. */
function figuresOf(measures: readonly Measure[], cells: readonly Cell[]): Figures {
  const sum: Figures = new Map();
  for (const { figures } of cells) merge(measures, sum, figures);
  return sum;
}

/** A distribution of some cells together. */
function distributionsOf(cells: readonly Cell[], name: string): Distributions {
  const sum: Distributions = new Map();
  for (const { distributions } of cells) {
    const packed = distributions.get(name);
    if (packed) mergePacked(sum, packed);
  }
  // What was added and taken away again leaves a type without sums.
  return new Map([...sum].filter(([, sums]) => sums.size > 0));
}
