import type { Position } from '@sigcast/contracts';

/** The positions of a branch to read, in order: after one position, down to the instant of another, at most `limit`. */
export type PositionRange = {
  readonly after: Position | undefined;
  readonly downTo: Position | undefined;
  readonly limit: number;
};

type ReadPositions<B> = (branch: B, range: PositionRange) => Promise<readonly Position[]>;

/** How far a branch has been read, and the positions read that are not counted yet. */
type BranchReader<B> = {
  readonly branch: B;
  buffered: readonly Position[];
  readTo: Position | undefined;
  atEnd: boolean;
};

/** The fewest positions that a query reads, because fewer cost as much. */
const smallestRange = 250;

/** Negative where `a` comes before `b` in lists. */
export function comparePositions(a: Position, b: Position): number {
  const older = b.createdAt.getTime() - a.createdAt.getTime();
  return older || (a.id === b.id ? 0 : b.id < a.id ? -1 : 1);
}

/**
 * The position of the `nth` signal, from 1, of all branches together; undefined when there are fewer signals.
 *
 * Reads branches in ranges and merges them. A branch is read on only when all positions read of it are counted, so at
 * most one range of each branch is read in vain.
 */
export async function nthPosition<B>(
  waves: readonly (readonly B[])[],
  nth: number,
  read: ReadPositions<B>,
): Promise<Position | undefined> {
  const readers = waves.map((wave) =>
    wave.map((branch): BranchReader<B> => ({ branch, buffered: [], readTo: undefined, atEnd: false })),
  );
  const branches = readers.flat();
  for (let left = nth; ; ) {
    const limit = Math.min(left, Math.max(smallestRange, Math.ceil(left / branches.length)));
    const complete = await readOn(readers, limit, read);
    const positions = takeUpTo(branches, complete);
    if (positions.length >= left) return positions[left - 1];
    if (complete === undefined) return undefined;
    left -= positions.length;
  }
}

/**
 * Reads on the branches without buffered positions. A wave is read only as far as the wave before it, so a signal that
 * moves to a later wave meanwhile is found there, at the same position.
 *
 * @returns the position up to which all branches have been read; undefined at the end.
 */
async function readOn<B>(
  waves: readonly (readonly BranchReader<B>[])[],
  limit: number,
  read: ReadPositions<B>,
): Promise<Position | undefined> {
  let complete: Position | undefined;
  for (const wave of waves) {
    const bound = complete;
    await Promise.all(
      wave.map(async (reader) => {
        if (reader.buffered.length > 0 || reader.atEnd) return;
        const found = await read(reader.branch, { after: reader.readTo, downTo: bound, limit });
        reader.buffered = bound ? found.filter((position) => comparePositions(position, bound) <= 0) : found;
        reader.readTo = reader.buffered.length === limit ? reader.buffered.at(-1) : bound;
        reader.atEnd = reader.readTo === undefined;
      }),
    );
    for (const { readTo } of wave) {
      if (readTo && (!complete || comparePositions(readTo, complete) < 0)) complete = readTo;
    }
  }
  return complete;
}

/** Takes the buffered positions up to `end`, in order. A signal that moved meanwhile was read twice and is taken once. */
function takeUpTo(readers: readonly BranchReader<unknown>[], end: Position | undefined): Position[] {
  const taken = new Map<string, Position>();
  for (const reader of readers) {
    const beyond = end ? reader.buffered.findIndex((position) => comparePositions(position, end) > 0) : -1;
    const count = beyond === -1 ? reader.buffered.length : beyond;
    for (const position of reader.buffered.slice(0, count)) taken.set(position.id, position);
    reader.buffered = reader.buffered.slice(count);
  }
  return [...taken.values()].sort(comparePositions);
}
