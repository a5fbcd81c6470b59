import { z } from 'zod';

/** An instant with its time zone, as answers and events have it. */
export const timestamp = z.iso.datetime({ offset: true });

/** How many there are of something. */
export const count = z.int().min(0);

/** One of some texts. */
export function oneOf<const T extends readonly string[]>(values: T) {
  return z.enum(values, `must be one of ${values.join(', ')}`);
}

/** A member with its meaning and an example, for the API's document. */
export function described<S extends z.ZodType>(schema: S, description: string, example?: unknown): S {
  return schema.meta({ description, ...(example !== undefined && { example }) }) as S;
}
