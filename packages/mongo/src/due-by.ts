/**
 * The condition that an instant is `at` or earlier, for a query by an index of instants in their order. With the lower bound,
 * which no instant is below, the development engine reads the index in order; without one it sorts all that match.
 */
export function dueBy(at: Date): { readonly $gte: Date; readonly $lte: Date } {
  return { $gte: new Date(0), $lte: at };
}
