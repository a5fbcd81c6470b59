import { z } from 'zod';
import { count, described, timestamp } from '../members.ts';
import { tolerant } from '../tolerant.ts';

/** How a position by the exit rule ended: at its target, at its stop, or with its time or the signal (dead, rugged). */
export const exitKinds = ['target', 'stop', 'end'] as const;
export type ExitKind = (typeof exitKinds)[number];

const someCount = count.meta({ example: 10 });

/** Numbers of orders by how they ended; `open`: not sold. */
export const exitCountsSchema = z.strictObject({
  open: someCount,
  ...(Object.fromEntries(exitKinds.map((exit) => [exit, someCount])) as Record<ExitKind, typeof someCount>),
});

/** The highest result, percent: up to here hundredths of a percent are exact. */
const maxRealizableRoi = 1e12;

/** What a small order, bought and sold by a published rule, would have earned with a signal. */
export const realizableSchema = z
  .strictObject({
    rule: z
      .string()
      .regex(/^v[1-9][0-9]{0,3}$/, 'must be a version of the exit rule, such as v1')
      .meta({ example: 'v1' }),
    roi: described(
      z.number().min(-100).max(maxRealizableRoi),
      'Percent after costs, two decimals; before the exit, as if sold at the newest observation.',
      92,
    ),
    entered_at: timestamp.describe('When the figures were observed at which the order was bought.'),
    exited_at: timestamp
      .nullable()
      .describe('When the figures were observed at which the order was sold; null before the exit.')
      .meta({ example: '2026-01-02T01:30:00.000Z' }),
    exit: described(
      z.enum(exitKinds).nullable(),
      'Why the order was sold: `target`, `stop`, or `end` of its time or of the signal (dead, rugged); null before the exit.',
      'target',
    ),
  })
  .meta({ id: 'Realizable' });
export type Realizable = z.infer<typeof realizableSchema>;

/**
 * The same for readers of events and of signals. The other members depend on the version of the rule, so a reader looks at
 * `rule` first. An event with a version that the reader does not know is read all the same.
 */
export const receivedRealizableSchema = z.looseObject({ rule: z.string() });

/** What the known versions of the rule say; other members are ignored. */
export const knownRealizableSchema = tolerant(realizableSchema);
