import type { z } from 'zod';

/** What a field holds, which says by what operators it can be compared. */
type FieldKind = 'boolean' | 'choice' | 'instant' | 'list' | 'number' | 'text';

/** A field that conditions can name. */
export type Field = {
  /** Its path, such as `metrics.mcap_entry`. */
  readonly path: string;
  readonly kind: FieldKind;
  /** The texts that a choice, or an entry of a list, may be; undefined where any may. */
  readonly values?: readonly string[] | undefined;
  /** Makes the key by which texts of the field are equal; undefined where they are equal exactly. */
  readonly keyOf?: (text: string) => string;
  /** Why conditions of this place can't name it, as a predicate; absent where they can. */
  readonly refused?: string;
};

/** The operators of each kind of field. */
export const operatorsOf = {
  boolean: ['eq', 'ne', 'exists'],
  choice: ['eq', 'ne', 'in', 'nin', 'exists'],
  instant: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'exists'],
  list: ['in', 'nin', 'exists'],
  number: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'exists'],
  text: ['eq', 'ne', 'in', 'nin', 'exists', 'starts_with', 'contains'],
} as const satisfies Record<FieldKind, readonly string[]>;

export type Operator = (typeof operatorsOf)[FieldKind][number];

/** The fields of a schema by their path, those of objects within it included. */
export function fieldsOf(schema: z.ZodObject): ReadonlyMap<string, Field> {
  return new Map(fieldsIn(schema, '').map((field) => [field.path, field]));
}

type Definition = {
  readonly type: string;
  readonly format?: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly entries?: Readonly<Record<string, string>>;
};

function fieldsIn(schema: z.ZodType, path: string): Field[] {
  const { type, format, innerType, element, entries } = schema.def as Definition;
  if (innerType !== undefined) return fieldsIn(innerType, path);
  switch (type) {
    case 'object':
      return Object.entries((schema as z.ZodObject).shape).flatMap(([name, member]) =>
        fieldsIn(member as z.ZodType, path === '' ? name : `${path}.${name}`),
      );
    case 'array':
      return element === undefined
        ? []
        : fieldsIn(element, path).map(({ values }) => ({ path, kind: 'list', values }));
    case 'boolean':
    case 'number':
      return [{ path, kind: type }];
    case 'enum':
      return [{ path, kind: 'choice', values: Object.values(entries ?? {}) }];
    case 'string':
      return [{ path, kind: format === 'datetime' ? 'instant' : 'text' }];
    default:
      throw new Error(`${path} has a type that conditions do not know: ${type}`);
  }
}
