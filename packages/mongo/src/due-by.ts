/**
 * The condition that an instant since 1970 is `at` or earlier, for a query that sorts by an index of instants. With a lower
 * bound the development engine reads the index in its order; without one it sorts all that match.
 */
export function dueBy(at: Date): { readonly $gte: Date; readonly $lte: Date } {
  return { $gte: new Date(0), $lte: at };
}
