/**
 * The sliding-window counter: the requests of the last `windowMs` are estimated from two cells, the current one
 * and the one before, weighted by how much of it the window still covers:
 *
 *     estimate = current + previous × (windowMs − elapsed) / windowMs
 *
 * It takes the previous cell's requests as evenly spread; that is its known approximation. The estimate never
 * grows by itself, so what `remaining` promises stays true until it is used.
 *
 * All arithmetic is on whole numbers (both sides multiplied by `windowMs`), so that it agrees to the last request
 * with the same rule in Redis' Lua.
 */
export type SlidingCount = {
  /** Number of the current cell: Unix milliseconds divided by `windowMs`, rounded down. */
  readonly cell: number;
  readonly current: number;
  readonly previous: number;
};

/** A limit over a window, at an instant. */
export type SlidingLimit = { readonly nowMs: number; readonly windowMs: number; readonly limit: number };

/** What was counted before, seen from `nowMs`. A clock that stepped back by less than a window counts on in the newer cell. */
export function slide(stored: SlidingCount | undefined, nowMs: number, windowMs: number): SlidingCount {
  const cell = Math.floor(nowMs / windowMs);
  if (stored === undefined) return { cell, current: 0, previous: 0 };
  if (stored.cell === cell || stored.cell === cell + 1) return stored;
  if (stored.cell === cell - 1) return { cell, current: 0, previous: stored.current };
  return { cell, current: 0, previous: 0 };
}

/** Requests that would be admitted right now. */
export function slidingRemaining(count: SlidingCount, at: SlidingLimit): number {
  const covered = at.windowMs - elapsedMs(count, at);
  const free = (at.limit - count.current) * at.windowMs - count.previous * covered;
  return Math.max(0, Math.floor(free / at.windowMs));
}

/** The first instant (Unix milliseconds) at which one more request is admitted, if none comes in between. */
export function slidingFreeAtMs(count: SlidingCount, at: SlidingLimit): number {
  if (slidingRemaining(count, at) > 0) return at.nowMs;
  const start = count.cell * at.windowMs;
  const inThisCell = waitInCell(count.previous, at.limit - count.current - 1, at.windowMs);
  if (inThisCell < at.windowMs) return start + inThisCell;
  return start + at.windowMs + waitInCell(count.current, at.limit - 1, at.windowMs);
}

/** The end of the current cell, Unix milliseconds. */
export function cellEndMs(count: SlidingCount, windowMs: number): number {
  return (count.cell + 1) * windowMs;
}

/** Milliseconds into a cell until `previous` requests of the one before weigh no more than `room`. */
function waitInCell(previous: number, room: number, windowMs: number): number {
  if (room < 0) return windowMs;
  if (previous <= room) return 0;
  return windowMs - Math.floor((room * windowMs) / previous);
}

function elapsedMs(count: SlidingCount, { nowMs, windowMs }: SlidingLimit): number {
  return Math.max(0, nowMs - count.cell * windowMs);
}
