import { z } from 'zod';
import { timestamp } from './members.ts';

/** An ISO 8601 date (00:00 UTC) or a timestamp with a time zone. */
export const instantSchema = z
  .string()
  .refine(
    (text) => timestamp.safeParse(text).success || z.iso.date().safeParse(text).success,
    'must be an ISO 8601 timestamp with a time zone, such as 2026-01-01T00:00:00Z, or a date',
  )
  .transform((text) => new Date(text));

/**
 * What {@link instantSchema} takes, for the API's document. No `format` says it: `date-time` excludes bare dates, and validators
 * differ in which offsets they take.
 */
export const instantPattern =
  '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])(T([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d+)?)?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d))?$';

/** An instant that the API's document describes. */
export function describedInstant(description: string) {
  return instantSchema.meta({ description, type: 'string', pattern: instantPattern });
}
