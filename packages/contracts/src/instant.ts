import { z } from 'zod';

/** An ISO 8601 date (00:00 UTC) or a timestamp with a time zone. */
export const instantSchema = z
  .string()
  .refine(
    (text) =>
      z.iso.datetime({ offset: true }).safeParse(text).success || z.iso.date().safeParse(text).success,
    'must be an ISO 8601 timestamp with a time zone, such as 2026-01-01T00:00:00Z, or a date',
  )
  .transform((text) => new Date(text));

/** An instant that the API's document describes. */
export function describedInstant(description: string) {
  return instantSchema.meta({ description, type: 'string', format: 'date-time' });
}
