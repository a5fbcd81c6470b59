import { z } from 'zod';

type Projection = (value: unknown) => unknown;

/** Makes a function that keeps the members of a value which a schema names, and of objects and lists within it likewise. */
export function projectionOn<S extends z.ZodObject>(schema: S): (value: z.output<S>) => z.output<S> {
  return projection(schema) as (value: z.output<S>) => z.output<S>;
}

/** The projection on a schema; undefined where nothing can be left out. */
function projection(schema: z.ZodType): Projection | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    const inner = projection(schema.unwrap() as z.ZodType);
    return inner && ((value) => value && inner(value));
  }
  if (schema instanceof z.ZodArray) {
    const item = projection(schema.element as z.ZodType);
    return item && ((value) => (value as unknown[]).map(item));
  }
  if (!(schema instanceof z.ZodObject)) return undefined;
  const members = Object.entries(schema.shape as Record<string, z.ZodType>).map(
    ([name, member]) => [name, projection(member)] as const,
  );
  return (value) => {
    const kept: Record<string, unknown> = {};
    for (const [name, inner] of members) {
      const own = (value as Record<string, unknown>)[name];
      if (own !== undefined) kept[name] = inner === undefined ? own : inner(own);
    }
    return kept;
  };
}
