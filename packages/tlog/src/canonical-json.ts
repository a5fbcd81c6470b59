/** A value that JSON can express. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined };

/**
 * Writes a value as canonical JSON (RFC 8785): names in the order of their UTF-16 code units, no blanks, numbers and texts as
 * ECMAScript writes them. Members that are undefined are left out.
 * @throws {TypeError} for a number that is not finite.
 */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value as { readonly [name: string]: JsonValue | undefined }).flatMap(
      ([name, member]) => (member === undefined ? [] : [[name, member] as const]),
    );
    // Without a comparison, `sort` compares code units.
    const names = members.map(([name]) => name).sort();
    const byName = new Map(members);
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(byName.get(name) ?? null)}`).join(',')}}`;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('JSON has no such number');
  return JSON.stringify(value);
}
