import type { ClaimedDelivery } from '../src/domain/attempt-ports.ts';
import { firstCycle } from '../src/domain/delivery.ts';
import { testSealer } from './test-sealer.ts';

/** A first attempt at an address, without a store behind it. */
export function claimedFor(url: string): ClaimedDelivery {
  const now = new Date();
  return {
    delivery: {
      id: 'evt_1.wh_1',
      account: 'acct_1',
      subscription: 'wh_1',
      eventId: 'evt_1',
      event: 'signal.new',
      signalId: null,
      symbol: null,
      status: 'pending',
      attemptCount: 0,
      attempts: [],
      nextAttemptAt: now,
      crashes: 0,
      cycle: firstCycle,
      createdAt: now,
      updatedAt: now,
    },
    lease: { worker: 'wrk_1', token: 't', startedAt: now },
    chat: null,
    url,
    proven: true,
    secrets: [testSealer.seal('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'wh_1')],
    failing: null,
    body: '{}',
  };
}
