/** JSON of a source: any member may be missing, null or nonsense. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** An amount that the signals service takes; undefined for anything else, a text with a number included. */
export function amount(value: unknown): number | undefined {
  const isAmount = typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
  return isAmount ? value : undefined;
}

export function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The number that a decimal text says, such as `-12.5`. */
export function decimal(value: unknown): number | undefined {
  const isDecimal = typeof value === 'string' && /^-?\d{1,30}(\.\d{1,100})?$/.test(value);
  return isDecimal ? Number(value) : undefined;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The same function of each member of an object that has one, by name. */
export function each<Name extends string, T>(
  names: readonly Name[],
  value: (name: Name) => T | undefined,
): { readonly [Each in Name]?: T } {
  const members = names.flatMap((name): [Name, T][] => {
    const read = value(name);
    return read === undefined ? [] : [[name, read]];
  });
  return Object.fromEntries(members) as { [Each in Name]?: T };
}
