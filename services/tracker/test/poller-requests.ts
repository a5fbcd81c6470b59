import type { Realizable } from '@sigcast/contracts';
import { readAs } from '@sigcast/testing';
import { decidedSchema, reportSchema } from '../src/sending/observations-api.ts';

export const at = '2026-01-01T00:00:00.000Z';
export const earlier = '2025-12-31T23:00:00.000Z';

export const realizable: Realizable = {
  ...{ rule: 'v1', roi: -61.33, entered_at: earlier, exited_at: at, exit: 'end' },
};

/** What the poller asks of the signals service, and all that it reads of the answers. */
export const pollerRequests = [
  {
    ...{ asks: 'POST /internal/v1/signals/observations', as: 'tracker' },
    sends: {
      observations: [
        {
          ...{ id: '{signal_id}', observed_at: at },
          metrics: { mcap_current: 2_000, liquidity: 800, volume_24h: 70 },
          realizable,
        },
      ],
    },
    ...{ gets: 200, reads: readAs(reportSchema) },
  },
  {
    ...{ asks: 'PATCH /internal/v1/signals/{signal_id}', as: 'tracker' },
    sends: { status: 'winner', evidence: { rule: 'v1', observations: [earlier, at] } },
    ...{ gets: 200, reads: readAs(decidedSchema) },
  },
  {
    // A signal of its own, since none of the other requests could be made of it afterwards.
    ...{ asks: 'PATCH /internal/v1/signals/{ending_signal_id}', as: 'tracker' },
    sends: { status: 'rugged', evidence: { rule: 'v1', observations: [earlier, at] }, realizable },
    ...{ gets: 200, reads: readAs(decidedSchema) },
  },
];
