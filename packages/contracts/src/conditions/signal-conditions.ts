import { z } from 'zod';
import { shownSignalSchema } from '../resources/outcome.ts';
import { metricsSchema, signalAtEventSchema } from '../resources/signal.ts';
import { contractKey, symbolKey } from '../token-keys.ts';
import { type Field, fieldsOf } from './fields.ts';
import { matcherOf } from './matcher.ts';
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

/** The fields of a schema; the other fields of signals are refused. */
function onlyOf(schema: z.ZodObject, refused: string): ReadonlyMap<string, Field> {
  const own = fieldsOf(schema);
  return new Map(
    [...signalConditionFields].map(([path, field]) => [path, own.has(path) ? field : { ...field, refused }]),
  );
}

/** The fields of an event's signal that conditions can name. */
export const eventConditionFields = onlyOf(
  signalAtEventSchema,
  'is a field that GET /v1/signals alone has; events do not',
);

/** The fields of a signal that are known when it is created. */
export const creationConditionFields = onlyOf(
  signalAtEventSchema.omit({ performance: true }).extend({ metrics: metricsSchema.omit({ mcap_ath: true }) }),
  'is not known when a signal is created; a backtest buys by what was known then',
);

/** A filter as answers show it: as it was given. */
export const filterSchema = z
  .record(z.string(), z.unknown())
  .describe('Conditions: fields by their path, each with operators and what they compare with.')
  .meta({
    id: 'Filter',
    example: { 'metrics.mcap_entry': { gte: 50_000 }, 'token.chain': { in: ['solana'] } },
  });
export type Filter = z.infer<typeof filterSchema>;

/** A filter in a body, of a value with these fields. */
export const filterOf = (fields: ReadonlyMap<string, Field>) =>
  filterSchema.superRefine((filter, context) => {
    const refuse = refuseIn(context);
    if (JSON.stringify(filter).length > maxFilterCharacters) {
      refuse([], `must be at most ${maxFilterCharacters.toLocaleString('en')} characters long`);
      return;
    }
    conditionsOf(filter, fields, refuse);
  });

/**
 * Makes the matcher of a filter that {@link filterOf} has let through. A filter that can't be read, because a newer release let
 * it through, lets everything through: too much can be ignored, too little is lost.
 */
export function matcherOfFilter(
  filter: unknown,
  fields: ReadonlyMap<string, Field>,
): (value: object) => boolean {
  const read = readConditions(filter, fields);
  return 'conditions' in read ? matcherOf(read.conditions) : () => true;
}

/** A filter in a query, of a value with these fields: its conditions, from a text in JSON. */
export const conditionsText = (fields: ReadonlyMap<string, Field>) =>
  z
    .string()
    .max(maxFilterCharacters)
    .transform((text, context) => {
      const refuse = refuseIn(context);
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
      return conditionsOf(filter, fields, refuse) ?? z.NEVER;
    });

type Refuse = (path: readonly string[], message: string) => void;

const refuseIn =
  (context: z.core.$RefinementCtx): Refuse =>
  (path, message) =>
    context.addIssue({ code: 'custom', path: [...path], message });

/** The conditions of a filter; undefined where they are refused. */
function conditionsOf(filter: unknown, fields: ReadonlyMap<string, Field>, refuse: Refuse) {
  const read = readConditions(filter, fields);
  if ('conditions' in read) return read.conditions;
  for (const { path, message } of read.problems) refuse(path, message);
  return undefined;
}

/** How many names the objects of a text in JSON give. */
function namesIn(text: string): number {
  return [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined).length;
}
