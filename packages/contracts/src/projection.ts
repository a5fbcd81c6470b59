import { z } from 'zod';

/** Makes a function that keeps the members of a value which a schema names, and of objects within it likewise. */
export function projectionOn<S extends z.ZodObject>(schema: S): (value: z.output<S>) => z.output<S> {
  const members = Object.entries(schema.shape as Record<string, z.ZodType>).map(
    ([name, member]) => [name, member instanceof z.ZodObject ? projectionOn(member) : undefined] as const,
  );
  return (value) => {
    const kept: Record<string, unknown> = {};
    for (const [name, inner] of members) {
      const own = (value as Record<string, unknown>)[name];
      if (own !== undefined) kept[name] = inner === undefined ? own : inner(own as Record<string, unknown>);
    }
    return kept as z.output<S>;
  };
}
