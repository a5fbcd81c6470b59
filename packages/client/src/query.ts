/** One value or several. */
export type OneOrMore<T> = T | readonly T[];

export type QueryValue = OneOrMore<string> | number | Date | undefined;

/** A query with its question mark, or an empty text. Lists are joined by commas, undefined values are left out. */
export function queryString(query: Readonly<Record<string, QueryValue>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (value instanceof Date) parameters.set(name, value.toISOString());
    else parameters.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}
