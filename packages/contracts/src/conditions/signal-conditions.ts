import { z } from 'zod';
import { shownSignalSchema } from '../resources/outcome.ts';
import { fieldsOf } from './fields.ts';
import { readConditions } from './read-conditions.ts';

/** The most characters of a filter. */
export const maxFilterCharacters = 4_000;

/** The fields of a signal that conditions can name: all but how its status was decided. */
export const signalConditionFields = fieldsOf(shownSignalSchema.omit({ outcome: true }));

/** A filter of signals in a query: its conditions, from a text in JSON. */
export const signalConditionsText = z
  .string()
  .max(maxFilterCharacters)
  .transform((text, context) => {
    const refuse = (path: readonly string[], message: string) =>
      context.addIssue({ code: 'custom', path: [...path], message });
    let filter: unknown;
    try {
      filter = JSON.parse(text);
    } catch {
      refuse([], 'must be JSON, such as {"token.chain":{"eq":"solana"}}');
      return z.NEVER;
    }
    const read = readConditions(filter, signalConditionFields);
    if ('conditions' in read) return read.conditions;
    for (const { path, message } of read.problems) refuse(path, message);
    return z.NEVER;
  });
