import { isDeepStrictEqual } from 'node:util';

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 uses it. */
export type Schema = { readonly [keyword: string]: unknown };

/** A schema, and the document that its references are resolved in. */
export type Located = { readonly schema: Schema; readonly root: Schema };

/** One kind of value that a schema accepts: of one type (or any, without `type`), without references and alternatives. */
export type Branch = {
  readonly type?: string;
  /** The only values, where the schema lists them. */
  readonly values?: readonly unknown[];
  readonly keywords: Schema;
};

/** Keywords that do not affect which values are valid. */
const annotations = new Set([
  ...['$schema', '$id', '$comment', 'title', 'description', 'examples', 'example', 'deprecated'],
]);

/** How to merge each keyword of two schemas that both apply. */
const combine: Readonly<Record<string, (one: unknown, other: unknown) => unknown>> = {
  properties: (one, other) => {
    const all = { ...(one as Schema) };
    for (const [name, schema] of Object.entries(other as Schema)) all[name] = both(all[name], schema);
    return all;
  },
  required: (one, other) => [...new Set([...(one as string[]), ...(other as string[])])],
  additionalProperties: (one, other) => (one === false || other === false ? false : both(one, other)),
  propertyNames: both,
  items: both,
  anyOf: (one, other) => (one as Schema[]).flatMap((a) => (other as Schema[]).map((b) => both(a, b))),
  // Of `number` and `integer`, the narrower.
  type: (one, other) => [
    ...asList(one).filter((type) => asList(other).some((wider) => isOfType(type, wider))),
    ...asList(other).filter((type) => asList(one).some((wider) => type !== wider && isOfType(type, wider))),
  ],
  enum: (one, other) => (one as unknown[]).filter((value) => isAmong(value, other as unknown[])),
  uniqueItems: (one, other) => one === true || other === true,
  ...Object.fromEntries(
    ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'].map((name) => [name, atLeast(Math.max)]),
  ),
  ...Object.fromEntries(
    ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'].map((name) => [name, atLeast(Math.min)]),
  ),
  default: (one) => one,
  pattern: same('pattern'),
  format: same('format'),
};

/**
 * All kinds of value that a schema accepts.
 * @throws when the schema has a keyword that the comparison does not know: a change of it would be overlooked.
 */
export function branchesOf({ schema, root }: Located): Branch[] {
  const { anyOf, ...rest } = flatten(schema, root);
  if (anyOf !== undefined) {
    return (anyOf as Schema[]).flatMap((one) => branchesOf({ schema: both(rest, one) as Schema, root }));
  }
  const { type, enum: values, ...keywords } = rest as { type?: unknown; enum?: unknown[] } & Schema;
  const types = type === undefined ? (values === undefined ? [] : values.map(typeOf)) : asList(type);
  if (type === undefined && values === undefined) return [{ keywords }];
  return [...new Set(types)].map((one) => ({
    type: one,
    ...(values !== undefined && { values: values.filter((value) => isOfType(typeOf(value), one)) }),
    keywords,
  }));
}

/** The default of a value that is left out. */
export function defaultOf({ schema, root }: Located): unknown {
  return flatten(schema, root).default;
}

/** Whether each value of the first type is also of the other type. */
export function isOfType(type: string, other: string): boolean {
  return type === other || (type === 'integer' && other === 'number');
}

/** Whether a JSON value equals one of the values. */
export function isAmong(value: unknown, values: readonly unknown[]): boolean {
  return values.some((one) => isDeepStrictEqual(one, value));
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** The schema with its references resolved and `allOf` merged, `const` as `enum`, `oneOf` as `anyOf`, without annotations. */
function flatten(schema: Schema, root: Schema): Schema {
  const { $ref, allOf, oneOf, const: value, ...own } = schema;
  const parts: Schema[] = [
    ...($ref === undefined ? [] : [flatten(find(String($ref), root), root)]),
    ...((allOf as Schema[] | undefined) ?? []).map((one) => flatten(one, root)),
    ...(oneOf === undefined ? [] : [{ anyOf: oneOf }]),
    ...('const' in schema ? [{ enum: [value] }] : []),
  ];
  const kept: Record<string, unknown> = {};
  for (const [name, said] of Object.entries(own)) {
    if (annotations.has(name) || name.startsWith('x-')) continue;
    if (!Object.hasOwn(combine, name))
      throw new Error(`the keyword "${name}" is not known to the comparison`);
    if (name !== 'uniqueItems' || said === true) kept[name] = said;
  }
  return parts.reduce((one, other) => merge(one, other), kept);
}

/** The part of a document that a reference names. @throws when there is none. */
export function find(reference: string, root: Schema): Schema {
  const steps = reference.replace(/^#\//, '').split('/');
  const found = steps.reduce<unknown>(
    (at, step) => (at as Schema | undefined)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')],
    root,
  );
  if (found === undefined) throw new Error(`${reference} is not in the document`);
  return found as Schema;
}

function merge(one: Schema, other: Schema): Schema {
  const all: Record<string, unknown> = { ...one };
  for (const [name, said] of Object.entries(other)) {
    all[name] = Object.hasOwn(all, name) ? combine[name]?.(all[name], said) : said;
  }
  return all;
}

function both(one: unknown, other: unknown): unknown {
  if (one === undefined || one === true) return other;
  if (other === undefined || other === true) return one;
  return { allOf: [one, other] };
}

function atLeast(pick: (...numbers: number[]) => number) {
  return (one: unknown, other: unknown) => pick(Number(one), Number(other));
}

function same(name: string) {
  return (one: unknown, other: unknown) => {
    if (one !== other)
      throw new Error(`two different "${name}" apply at once: the comparison can't merge them`);
    return one;
  };
}

function asList(type: unknown): string[] {
  return Array.isArray(type) ? type.map(String) : [String(type)];
}
