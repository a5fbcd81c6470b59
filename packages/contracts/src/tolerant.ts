import { z } from 'zod';

/**
 * The same schema for whoever reads what another service sent: it leaves out members that it does not know, at every depth,
 * where the strict one refuses them. So a service may send one more than those that read it know (a "tolerant reader").
 */
export function tolerant<S extends z.ZodType>(schema: S): S;
export function tolerant(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodArray) return z.array(tolerant(schema.element as z.ZodType));
  if (!(schema instanceof z.ZodObject)) return schema;
  const members = Object.entries(schema.shape as Record<string, z.ZodType>);
  return z.object(Object.fromEntries(members.map(([name, member]) => [name, tolerant(member)])));
}
