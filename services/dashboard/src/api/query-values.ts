/** The known values that a page's address names, separated by commas; a wrong one counts as left out. */
export function listIn<T extends string>(query: URLSearchParams, name: string, known: readonly T[]): T[] {
  const given = (query.get(name) ?? '').split(',');
  return known.filter((value) => given.includes(value));
}

/** The text where it has a form; null otherwise. */
export function matching(form: RegExp, text: string | null): string | null {
  return text !== null && form.test(text) ? text : null;
}
