import { z } from 'zod';
import { described, timestamp } from '../members.ts';
import { originSchema } from './origin.ts';
import { realizableSchema } from './realizable.ts';
import { signalDetailSchema, signalListItemSchema, signalStatusSchema } from './signal.ts';

/** How a signal's status was decided. */
export const outcomeSchema = z
  .strictObject({
    status: signalStatusSchema.exclude(['active']).meta({ example: 'winner' }),
    decided_by: described(
      z.enum(['rule', 'producer']),
      '`rule`: by published rules, from observations of the market. `producer`: by whoever sent the signal.',
    ),
    rule: described(
      z.string().nullable(),
      'The version of the rules, such as `v1`, or `v1-custom` with thresholds of the operator’s own; null where a ' +
        'producer decided.',
      'v1',
    ),
    decided_at: timestamp.meta({
      description: 'When the status changed: `timestamp` of the event.',
      example: '2026-01-02T01:30:00.000Z',
    }),
    observations: described(
      z.array(timestamp),
      'When the observations were made that the decision rests on, 10 at most. Empty where a producer decided. For ' +
        '`dead`, an observation at which the market does not know the token counts as one without trade.',
      ['2026-01-02T01:19:30.000Z', '2026-01-02T01:29:58.000Z'],
    ),
  })
  .meta({ id: 'Outcome' });
export type Outcome = z.infer<typeof outcomeSchema>;

const onRequest = {
  outcome: described(
    outcomeSchema.nullable().optional(),
    'Where `include=outcome` asks for it: how the status was decided; null while the signal is active.',
  ),
  origin: described(
    originSchema.nullable().optional(),
    'Where `include=origin` asks for it: the rule that made the signal, and the figures that it rests on; null where the ' +
      'producer did not say.',
  ),
  realizable: described(
    realizableSchema.nullable().optional(),
    'Where `include=realizable` asks for it: what an order of 100 US dollars would have earned by the published ' +
      'exit rule, after costs; null where there was no position.',
  ),
};

/** A signal of `GET /v1/signals`. */
export const listedSignalSchema = signalListItemSchema.extend(onRequest).meta({ id: 'SignalListItem' });
export type ListedSignal = z.infer<typeof listedSignalSchema>;

/** The signal of `GET /v1/signals/{signal_id}`. */
export const shownSignalSchema = signalDetailSchema.extend(onRequest).meta({ id: 'Signal' });
export type ShownSignal = z.infer<typeof shownSignalSchema>;
