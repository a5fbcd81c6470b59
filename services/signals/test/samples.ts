import { type NewSignal, newSignalSchema, type SignalType } from '@sigcast/contracts';
import { createSignal } from '../src/domain/create-signal.ts';
import type { Signal } from '../src/domain/signal.ts';

/** The body of a signal as a producer sends it. */
export function sampleBody(
  changes: {
    name?: string;
    symbol?: string;
    contract?: string;
    chain?: string | undefined;
    type?: SignalType;
    created_at?: string | undefined;
    mcap_entry?: number;
    mcap_current?: number;
  } = {},
) {
  const { symbol = 'SMPL', contract = '0x120AD3e5A7c796349e591F1570D9f7980F4eA9cb' } = changes;
  const { chain } = changes;
  const { name = 'Sample Token', type = 'new', created_at, mcap_entry = 100_000, mcap_current } = changes;
  return {
    token: {
      symbol,
      name,
      contract,
      ...(chain === undefined ? {} : { chain }),
      age_hours: 12.5,
      dex_paid: true,
      socials: { twitter: 'https://twitter.com/sample', website: 'https://sample.example.com' },
    },
    metrics: {
      mcap_entry,
      ...(mcap_current === undefined ? {} : { mcap_current }),
      volume_24h: 5_000.25,
      holders: 321,
      liquidity: 20_000,
    },
    type,
    is_premium: false,
    ...(created_at === undefined ? {} : { created_at }),
  };
}

/** The same, parsed. */
export function sampleInput(changes: Parameters<typeof sampleBody>[0] = {}): NewSignal {
  return newSignalSchema.parse(sampleBody(changes));
}

export const sampleId = 'sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z';

/** A signal created at `now`. @throws when the input is refused. */
export function sampleSignal(now: Date, changes: Parameters<typeof sampleBody>[0] = {}): Signal {
  const creation = createSignal(sampleInput(changes), { now, newId: () => sampleId });
  if (creation.kind !== 'created') throw new Error(JSON.stringify(creation.details));
  return creation.signal;
}
