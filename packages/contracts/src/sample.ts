import { z } from 'zod';

/** When samples happen, unless they say otherwise. */
const at = '2026-01-01T12:00:00.000Z';

type Deep<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Name in keyof T]?: Deep<T[Name]> }
    : T;

/**
 * A value of a schema, for documents and tests: of each member its `example`, else what its type says. Members that may be left
 * out are left out, unless they have an example.
 * @param overrides other values of some members.
 * @throws where a text or a number has no example.
 */
export function sampleOf<S extends z.ZodType>(schema: S, overrides?: Deep<z.input<S>>): z.input<S> {
  return merged(sample(schema), overrides) as z.input<S>;
}

function sample(schema: unknown): unknown {
  const { example } = (z.globalRegistry.get(schema as z.ZodType) ?? {}) as { readonly example?: unknown };
  if (example !== undefined) return example;
  if (schema instanceof z.ZodObject) {
    const members = Object.entries(schema.shape as Record<string, z.ZodType>);
    return Object.fromEntries(
      members.flatMap(([name, member]) => {
        const value = within(name, member);
        return value === undefined ? [] : [[name, value]];
      }),
    );
  }
  if (schema instanceof z.ZodOptional) return undefined;
  if (schema instanceof z.ZodDefault) return schema.def.defaultValue;
  if (schema instanceof z.ZodNullable) {
    const inner = schema.unwrap();
    return inner instanceof z.ZodObject || hasExample(inner) ? sample(inner) : null;
  }
  if (schema instanceof z.ZodArray) return [sample(schema.element)];
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodBoolean) return false;
  if (schema instanceof z.ZodUnion) return sample(schema.options[0]);
  if (schema instanceof z.ZodRecord) {
    const keys = (schema.keyType as z.ZodEnum).options;
    return Object.fromEntries(keys.map((key) => [key, sample(schema.valueType)]));
  }
  if (schema instanceof z.ZodISODateTime) return at;
  throw new Error('has no example');
}

function within(name: string, member: z.ZodType): unknown {
  try {
    return sample(member);
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

function hasExample(schema: unknown): boolean {
  return 'example' in (z.globalRegistry.get(schema as z.ZodType) ?? {});
}

function merged(value: unknown, overrides: unknown): unknown {
  if (overrides === undefined) return value;
  if (!isObject(value) || !isObject(overrides)) return overrides;
  const names = new Set([...Object.keys(value), ...Object.keys(overrides)]);
  return Object.fromEntries([...names].map((name) => [name, merged(value[name], overrides[name])]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value?.constructor === Object;
}
