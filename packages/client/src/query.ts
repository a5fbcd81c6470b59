/** One value or several. */
export type OneOrMore<T> = T | readonly T[];

export type QueryValue = OneOrMore<string> | number | Date | undefined;

/** A query with its question mark, or nothing; several values are separated by commas, what is undefined is left out. */
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
