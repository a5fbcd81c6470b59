import type { Position } from '../domain/ports.ts';

/** What of a branch to read, in order: what comes after one position, down to the instant of another, at most `limit`. */
export type Stretch = {
  readonly after: Position | undefined;
  readonly downTo: Position | undefined;
  readonly limit: number;
};

type ReadPositions<B> = (branch: B, stretch: Stretch) => Promise<readonly Position[]>;

/** How far a branch has been read, and what of that is not counted yet. */
type Stream<B> = {
  readonly branch: B;
  waiting: readonly Position[];
  readTo: Position | undefined;
  atEnd: boolean;
};

/** Fewer signals than this are not worth a query of their own. */
const smallestStretch = 250;

/** Negative where `a` comes before `b` in lists. */
export function comparePositions(a: Position, b: Position): number {
  const older = b.createdAt.getTime() - a.createdAt.getTime();
  return older || (a.id === b.id ? 0 : b.id < a.id ? -1 : 1);
}

/**
 * The place of the signal that comes `nth`, from 1, of all branches together; undefined when there are not that many.
 *
 * Branches are read in stretches and merged, and one is read on only when what it gave is used up. So little more than
 * `nth` are read however many branches there are: of each one stretch at most is in vain.
 */
export async function nthPosition<B>(
  waves: readonly (readonly B[])[],
  nth: number,
  read: ReadPositions<B>,
): Promise<Position | undefined> {
  const streams = waves.map((wave) =>
    wave.map((branch): Stream<B> => ({ branch, waiting: [], readTo: undefined, atEnd: false })),
  );
  const branches = streams.flat();
  for (let left = nth; ; ) {
    const limit = Math.min(left, Math.max(smallestStretch, Math.ceil(left / branches.length)));
    const complete = await readOn(streams, limit, read);
    const positions = takeUpTo(branches, complete);
    if (positions.length >= left) return positions[left - 1];
    if (complete === undefined) return undefined;
    left -= positions.length;
  }
}

/**
 * Reads branches on that have nothing waiting. A wave is read only as far as the one before it has been: so a signal that
 * moves to a later wave meanwhile is found there at the latest, in the same part of the order.
 *
 * @returns up to where all branches have been read; undefined for the end.
 */
async function readOn<B>(
  waves: readonly (readonly Stream<B>[])[],
  limit: number,
  read: ReadPositions<B>,
): Promise<Position | undefined> {
  let complete: Position | undefined;
  for (const wave of waves) {
    const bound = complete;
    await Promise.all(
      wave.map(async (stream) => {
        if (stream.waiting.length > 0 || stream.atEnd) return;
        const found = await read(stream.branch, { after: stream.readTo, downTo: bound, limit });
        stream.waiting = bound ? found.filter((position) => comparePositions(position, bound) <= 0) : found;
        stream.readTo = stream.waiting.length === limit ? stream.waiting.at(-1) : bound;
        stream.atEnd = stream.readTo === undefined;
      }),
    );
    for (const { readTo } of wave) {
      if (readTo && (!complete || comparePositions(readTo, complete) < 0)) complete = readTo;
    }
  }
  return complete;
}

/** Takes what waits up to a position, in order. A signal that moved meanwhile is there twice and taken once. */
function takeUpTo(streams: readonly Stream<unknown>[], end: Position | undefined): Position[] {
  const taken = new Map<string, Position>();
  for (const stream of streams) {
    const beyond = end ? stream.waiting.findIndex((position) => comparePositions(position, end) > 0) : -1;
    const count = beyond === -1 ? stream.waiting.length : beyond;
    for (const position of stream.waiting.slice(0, count)) taken.set(position.id, position);
    stream.waiting = stream.waiting.slice(count);
  }
  return [...taken.values()].sort(comparePositions);
}
