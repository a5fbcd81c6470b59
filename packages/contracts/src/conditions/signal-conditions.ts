import { z } from 'zod';
import { shownSignalSchema } from '../resources/outcome.ts';
import { contractKey, symbolKey } from '../token-keys.ts';
import { type Field, fieldsOf } from './fields.ts';
import { readConditions } from './read-conditions.ts';

/** The most characters of a filter. */
export const maxFilterCharacters = 4_000;
/** The most bytes of a filter in a URL. With other parameters and headers, a request has to be less than the gateway reads. */
export const maxFilterBytes = 6_000;

/** What makes the keys of texts that are not compared exactly, by the field's path. */
const keys = new Map([
  ['token.contract', contractKey],
  ['token.symbol', symbolKey],
]);

/** The fields of a signal that conditions can name: all but how its status was decided. */
export const signalConditionFields: ReadonlyMap<string, Field> = new Map(
  [...fieldsOf(shownSignalSchema.omit({ outcome: true }))].map(([path, field]) => {
    const keyOf = keys.get(path);
    return [path, keyOf === undefined ? field : { ...field, keyOf }];
  }),
);

/** A filter of signals in a query: its conditions, from a text in JSON. */
export const signalConditionsText = z
  .string()
  .max(maxFilterCharacters)
  .transform((text, context) => {
    const refuse = (path: readonly string[], message: string) =>
      context.addIssue({ code: 'custom', path: [...path], message });
    let filter: unknown;
    let bytes = 0;
    // The whole has a name to the parser, too.
    let names = -1;
    try {
      bytes = encodeURIComponent(text).length;
      filter = JSON.parse(text, function (this: unknown, _name, value: unknown) {
        if (!Array.isArray(this)) names++;
        return value;
      });
    } catch {
      refuse([], 'must be JSON, such as {"token.chain":{"eq":"solana"}}');
      return z.NEVER;
    }
    if (bytes > maxFilterBytes) {
      refuse([], `must be at most ${maxFilterBytes.toLocaleString('en')} bytes long, percent-encoded`);
      return z.NEVER;
    }
    // The parser keeps only the last of equal names.
    if (names < namesIn(text)) {
      refuse([], 'must not have a name twice in an object');
      return z.NEVER;
    }
    const read = readConditions(filter, signalConditionFields);
    if ('conditions' in read) return read.conditions;
    for (const { path, message } of read.problems) refuse(path, message);
    return z.NEVER;
  });

/** How many names the objects of a text in JSON give. */
function namesIn(text: string): number {
  return [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined).length;
}
