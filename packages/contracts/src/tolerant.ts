import { z } from 'zod';

/**
 * The same schema for a "tolerant reader": unknown members are removed at every depth, where the strict schema refuses them.
 * So a service may send a new member to readers of an older version. A member with a value for `absent` may be missing, as in
 * what an older version sends.
 */
export function tolerant<S extends z.ZodType>(schema: S): S;
export function tolerant(schema: z.ZodType): z.ZodType {
  const within = (part: unknown) => tolerant(part as z.ZodType);
  if (schema instanceof z.ZodArray) return z.array(within(schema.element));
  if (schema instanceof z.ZodOptional) return within(schema.unwrap()).optional();
  if (schema instanceof z.ZodNullable) return within(schema.unwrap()).nullable();
  if (schema instanceof z.ZodUnion) return z.union(schema.options.map(within));
  if (schema instanceof z.ZodRecord) return z.record(schema.keyType, within(schema.valueType));
  if (!(schema instanceof z.ZodObject)) return schema;
  const members = Object.entries(schema.shape as Record<string, z.ZodType>);
  return z.object(
    Object.fromEntries(
      members.map(([name, member]) => {
        const { absent } = z.globalRegistry.get(member) ?? {};
        return [name, absent === undefined ? within(member) : within(member).default(absent)];
      }),
    ),
  );
}
