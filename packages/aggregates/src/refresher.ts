import { isDeepStrictEqual } from 'node:util';
import { unavailable } from '@sigcast/contracts';
import { allTime, type Cell, count, fromStored } from './cells.ts';
import type { Change, ChangeLog } from './change-log.ts';
import { type Distributions, mergePacked } from './distribution.ts';
import { type Figures, type Measure, merge } from './figures.ts';
import { recount } from './recount.ts';
import { type Look, notCounted, type Replica } from './replica.ts';
import type { Source } from './source.ts';
import type { View } from './view.ts';

export type RefresherParts = {
  readonly source: Source;
  readonly log: ChangeLog;
  readonly measures: readonly Measure[];
  readonly replica: Replica;
  readonly now: () => Date;
};

/**
 * What came of counting documents whose distributions are not known: `done` when there were none left in this pass,
 * `nothing new` when they can't be told yet, or another process was quicker.
 */
export type UnknownCount = 'done' | 'counted' | 'nothing new';

/** Changes of one batch: few enough that it takes a fraction of a second. */
const changesAtMost = 2_000;
/** Documents counted at once while all are counted anew. */
const recountAtOnce = 2_000;
/** Batches stay for so long at least, for processes that are behind. */
const keepBatchesMs = 10 * 60_000;
/** Between two checkpoints of a process. */
const checkpointEveryMs = 60_000;

/** Takes changes into the log. */
export function openRefresher({ source, log, measures, replica, now }: RefresherParts) {
  let auditedToMs = allTime.fromMs;
  let unknownFromMs = allTime.fromMs;
  let checkpointedAtMs = Number.NEGATIVE_INFINITY;

  /**
   * Appends what is dirty to the log, then notes in the documents what is counted of them. Killed in between, whoever is
   * next finds them dirty and in the log, and notes it.
   * @returns false when there may be more to do.
   */
  const refresh = async (found?: Look): Promise<boolean> => {
    const look = found ?? (await replica.look());
    const { view, dirty } = look;
    const place = view.at();
    const waiting = notCounted(look);
    const changes = waiting.slice(0, changesAtMost).map((fact): Change => {
      const { id, type, createdAtMs, dirtyAt = look.at, rev, state } = fact;
      return { id, type, createdAtMs, dirtyAt, before: view.counted(fact), after: { rev, state } };
    });
    if (changes.length > 0) {
      const replaced = await Promise.all(
        view.outgrown(changes).map((span) => recount({ source, view, measures }, span, changes)),
      );
      const asOf = changes.length === waiting.length ? look.at : undefined;
      if (!(await replica.append(place, { asOf, changes, replaced }))) return false;
    }
    const counted = dirty.flatMap((fact) => {
      const state = view.counted(fact);
      if (!state || !fact.dirtyAt || state.rev <= (fact.counted?.rev ?? 0)) return [];
      return [{ rev: state.rev, state: state.state, id: fact.id, dirtyAt: fact.dirtyAt }];
    });
    if (counted.length > 0) await source.markCounted(counted);
    const isDue = performance.now() - checkpointedAtMs > checkpointEveryMs;
    // Only while every document says what is counted of it, up to this batch: nobody reads the batches before any more. Of
    // a batch that another process appended since the look began that is not known.
    const isLast = view.at().number === look.number + (changes.length > 0 ? 1 : 0);
    if (isLast && isDue && look.isAll) await checkpoint(look);
    return changes.length === waiting.length;
  };

  const checkpoint = async ({ view }: Look) => {
    const place = view.at();
    const hours = view.takeUnsaved();
    try {
      await log.saveCheckpoint(place, hours, new Date(now().getTime() - keepBatchesMs));
    } catch (error) {
      view.giveBackUnsaved(hours);
      throw error;
    }
    checkpointedAtMs = performance.now();
  };

  /**
   * Counts some documents anew, from an instant on, and puts right what the view has of them.
   * @returns the instant to go on from, whether the view was right, and whether it has learned something; undefined when
   * another process was quicker.
   */
  const recountFrom = async (
    view: View,
    ms: number,
  ): Promise<{ toMs: number; wasRight: boolean; isNew: boolean } | undefined> => {
    const place = view.at();
    const fromMs = view.cellBounds(ms).fromMs;
    const lastMs = await source.createdAfter(fromMs, recountAtOnce);
    const toMs = lastMs === undefined ? allTime.toMs : view.cellBounds(lastMs).toMs;
    const range = await recount({ source, view, measures }, { fromMs, toMs });
    if (view.at().number !== place.number) return undefined;
    const now = [...view.cellsIn(range)];
    const counted = range.cells.map((cell) => fromStored(cell, view.sums !== undefined));
    const [shown, expected] = [distributionsOf(now), distributionsOf(counted)];
    const isLacking = countKnown(now) < countKnown(counted);
    const isOther = shown !== undefined && expected !== undefined && !isDeepStrictEqual(shown, expected);
    const wasRight = isDeepStrictEqual(figuresOf(measures, now), figuresOf(measures, counted)) && !isOther;
    const isNew = !wasRight || isLacking;
    if (isNew && !(await replica.append(place, { changes: [], replaced: [range] }))) return undefined;
    return { toMs, wasRight, isNew };
  };

  const recountAll = async (signal?: AbortSignal) => {
    let view = await replica.catchUp();
    let { fromMs } = allTime;
    while (fromMs < allTime.toMs && !signal?.aborted) {
      const current = await replica.catchUp();
      if (current !== view) ({ fromMs } = allTime); // loaded again, and may have nothing
      view = current;
      fromMs = (await recountFrom(view, fromMs))?.toMs ?? fromMs;
    }
    if (!signal?.aborted) await replica.setBuilt(view);
  };

  return {
    refresh,
    rebuild: recountAll,
    /** Counts some documents anew of whose cells the distributions are not known. */
    countUnknown: async (): Promise<UnknownCount> => {
      if (!(await replica.current()).sums?.firstUnknown(allTime.fromMs)) return 'done';
      const view = await replica.catchUp();
      const cell = view.sums?.firstUnknown(unknownFromMs);
      if (!cell) {
        unknownFromMs = allTime.fromMs; // those that could not be told, next time
        return 'done';
      }
      const done = await recountFrom(view, cell.fromMs);
      unknownFromMs = done?.toMs ?? unknownFromMs;
      return done?.isNew ? 'counted' : 'nothing new';
    },
    /** Checks some documents, and goes on behind them the next time. @returns false when the view was wrong. */
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

/** How many documents are in cells whose distributions are known. */
function countKnown(cells: readonly Cell[]): number {
  let facts = 0;
  for (const { figures, distributions } of cells) if (distributions) facts += count(figures);
  return facts;
}

/** The figures of some cells together. */
function figuresOf(measures: readonly Measure[], cells: readonly Cell[]): Figures {
  const sum: Figures = new Map();
  for (const { figures } of cells) merge(measures, sum, figures);
  return sum;
}

/** The distributions of some cells together; undefined where those of one are not known. */
function distributionsOf(cells: readonly Cell[]): Distributions | undefined {
  const sum: Distributions = new Map();
  for (const { distributions } of cells) {
    if (!distributions) return undefined;
    mergePacked(sum, distributions);
  }
  return sum;
}
