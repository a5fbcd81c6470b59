/** The most characters that are wrong in a name for which another is suggested. */
const mostWrong = 2;

/** Names the known name that a wrong one may have meant: one that ends with it, or differs little; else is empty. */
export function suggestion(wrong: string, known: readonly string[]): string {
  const ending = known.find((name) => name.endsWith(`.${wrong}`));
  const near = known
    .map((name) => ({ name, distance: distance(wrong, name) }))
    .filter((each) => each.distance <= mostWrong)
    .sort((a, b) => a.distance - b.distance)[0];
  const name = ending ?? near?.name;
  return name === undefined ? '' : `; did you mean ${name}?`;
}

/** How many characters have to be changed, added or left out to make one name of the other (Levenshtein). */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > mostWrong) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const changed = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
