import { unavailable } from '@sigcast/contracts';
import type { Bucket, BucketChange, Generation } from './bucket-store.ts';
import { below, floorMs, type Level, levels, type Span, topLevel } from './levels.ts';
import type { RollupParts } from './read.ts';
import type { CellEntry, Uncounted } from './source.ts';
import { addTallies, isCrowded, type Tally } from './tally.ts';

/** Changed documents taken over at once: few enough that they are done within a fraction of a second. */
export const foldBatch = 1_000;

/** Rounds lost in a row against other replicas until something must be wrong. */
const maxRounds = 50;

/** The rollups as they are counted: into the buckets of one generation. */
type Counting = Omit<RollupParts, 'buckets'> & { readonly buckets: Generation };

/**
 * Takes changes over into every bucket they belong to, fine ones first, says so, and only then unmarks the documents.
 *
 * - A cell is counted whole, from the source or from the finer bucket, after its bucket's version was read; the write
 *   needs that version. So of two replicas at work on one bucket the later writer has read what the earlier one had.
 * - A document that changes meanwhile has another `rev` and stays marked.
 * - The generation is read after what changed is. Should another begin meanwhile, all of that was there before it did,
 *   and is counted by whoever builds it.
 * - Killed anywhere, the documents stay marked and are read from the source; all of this is simply done again.
 *
 * @returns how many changed documents it dealt with.
 */
export async function fold(parts: RollupParts): Promise<number> {
  const pass = parts.horizon.beginPass(parts.now());
  const changed = await parts.source.uncounted(pass.from, foldBatch);
  if (changed.length > 0) {
    const buckets = parts.buckets.of(await parts.buckets.generation());
    await takeOver({ ...parts, buckets }, changed);
    await parts.buckets.renew();
    await parts.source.markCounted(changed);
  }
  if (changed.length < foldBatch) pass.complete();
  return changed.length;
}

/** Into every bucket they belong to; cells that are crowded by now get buckets of their own. */
async function takeOver(parts: Counting, changed: readonly Uncounted[]): Promise<void> {
  const instants = changed.map(({ createdAtMs }) => createdAtMs);
  const tops = [...new Set(instants.map((ms) => floorMs(ms, topLevel.widthMs)))];
  const existing = await parts.buckets.load(topLevel, tops);
  await parts.buckets.create(
    topLevel,
    tops.filter((startMs) => !existing.has(startMs)),
  );
  const crowded: (readonly [Level, readonly number[]])[] = [];
  for (const level of levels.toReversed()) {
    crowded.push([level, await refresh(parts, level, cellsByBucket(level, instants))]);
  }
  for (const [level, cells] of crowded.toReversed()) await refine(parts, level, cells);
}

/**
 * Makes the buckets that are missing for what the source holds, from the beginning on, unless that was done. Documents
 * that were never marked, because they were there before the rollups, are in no bucket until then and counted from the
 * source.
 */
export async function build(parts: RollupParts, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const generation = await parts.buckets.beginBuild();
    if (generation === undefined) return;
    const counting = { ...parts, buckets: parts.buckets.of(generation) };
    let fromMs = Number.NEGATIVE_INFINITY;
    for (;;) {
      if (signal?.aborted) return;
      const firstMs = await parts.source.firstFrom(fromMs);
      if (firstMs === undefined) break;
      const startMs = floorMs(firstMs, topLevel.widthMs);
      await complete(counting, topLevel, [startMs], signal);
      fromMs = startMs + topLevel.widthMs;
    }
    if (await parts.buckets.finishBuild(generation)) return;
  }
}

/** Buckets completed side by side in one round. */
const completeBatch = 50;

/** Makes and counts these buckets unless they are, and those of their crowded cells, down to the finest. */
async function complete(
  parts: Counting,
  level: Level,
  starts: readonly number[],
  signal?: AbortSignal,
): Promise<void> {
  for (let from = 0; from < starts.length && !signal?.aborted; from += completeBatch) {
    const batch = starts.slice(from, from + completeBatch);
    const found = await parts.buckets.load(level, batch);
    const missing = batch.filter((startMs) => !isCountedAt(found, startMs));
    await parts.buckets.create(level, missing);
    await refresh(parts, level, new Map(missing.map((startMs) => [startMs, new Set<number>()])));
    const next = below(level);
    if (!next) continue;
    const buckets = await parts.buckets.load(level, batch);
    await complete(parts, next, [...buckets.values()].flatMap(crowdedCells), signal);
  }
}

/** Gives crowded cells of a level buckets of their own. */
async function refine(parts: Counting, level: Level, cells: readonly number[]): Promise<void> {
  const next = below(level);
  if (next && cells.length > 0) await complete(parts, next, cells);
}

/**
 * Counts cells anew, in those of the buckets that exist; one that was never counted, as a whole.
 * @returns the crowded ones among these cells that have no bucket of their own.
 */
async function refresh(
  parts: Counting,
  level: Level,
  cells: ReadonlyMap<number, ReadonlySet<number>>,
): Promise<number[]> {
  for (let round = 1; round <= maxRounds; round++) {
    const buckets = [...(await parts.buckets.load(level, [...cells.keys()])).values()];
    if (buckets.length === 0) return [];
    const fresh = buckets.filter((bucket) => !bucket.isCounted);
    const known = buckets.filter((bucket) => bucket.isCounted);
    const touched = known.flatMap(({ startMs }) => [...(cells.get(startMs) ?? [])]);
    const next = below(level);
    const finer = next ? await parts.buckets.load(next, touched) : new Map<number, Bucket>();
    const counted = await parts.source.tally(
      [
        ...fresh.map(({ startMs }): Span => ({ fromMs: startMs, toMs: startMs + level.widthMs })),
        ...touched
          .filter((cellMs) => !isCountedAt(finer, cellMs))
          .map((cellMs): Span => ({ fromMs: cellMs, toMs: cellMs + level.cellMs })),
      ],
      level.cellMs,
    );
    const byCell = Map.groupBy(counted, ({ cellMs }) => cellMs);
    const tallyOf = (cellMs: number): Tally => {
      const bucket = finer.get(cellMs);
      return bucket?.isCounted
        ? addTallies(parts.measures, [...bucket.cells.values()])
        : (byCell.get(cellMs) ?? []).map(withoutCell);
    };
    const changes = buckets.map((bucket): BucketChange => {
      const own = bucket.isCounted
        ? [...(cells.get(bucket.startMs) ?? [])]
        : [...byCell.keys()].filter((ms) => floorMs(ms, level.widthMs) === bucket.startMs);
      return { bucket, cells: new Map(own.map((cellMs) => [cellMs, tallyOf(cellMs)])) };
    });
    if (await parts.buckets.write(level, changes)) {
      return changes.flatMap(crowdedCells).filter((cellMs) => !isCountedAt(finer, cellMs));
    }
  }
  throw unavailable('The rollups');
}

/** Which cells the instants are in, by the bucket that has the cell. */
function cellsByBucket(level: Level, instants: readonly number[]): Map<number, Set<number>> {
  const cells = new Map<number, Set<number>>();
  for (const ms of instants) {
    const startMs = floorMs(ms, level.widthMs);
    const own = cells.get(startMs) ?? new Set();
    cells.set(startMs, own.add(floorMs(ms, level.cellMs)));
  }
  return cells;
}

function isCountedAt(buckets: ReadonlyMap<number, Bucket>, startMs: number): boolean {
  return buckets.get(startMs)?.isCounted === true;
}

/** When the cells begin that have too many facts to be counted whenever one of them changes. */
function crowdedCells({ cells }: Pick<Bucket, 'cells'>): number[] {
  return [...cells].flatMap(([cellMs, tally]) => (isCrowded(tally) ? [cellMs] : []));
}

function withoutCell({ type, status, values, newestMs }: CellEntry) {
  return { type, status, values, newestMs };
}
