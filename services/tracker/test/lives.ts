import type { SignalEvent, SignalStatus } from '@sigcast/contracts';
import fc from 'fast-check';
import { createdMs, entry, eventOf } from './events.ts';

const next: Readonly<Record<SignalStatus, readonly SignalStatus[]>> = {
  active: ['winner', 'dead', 'rugged'],
  winner: ['rugged'],
  dead: [],
  rugged: [],
};

/** @param statuses the higher, the rarer the status changes: of so many choices, only the first three at most are statuses. */
const stepOf = (statuses: number) =>
  fc.record({
    afterMs: fc.nat(20 * 60_000),
    mcap: fc.integer({ min: 1, max: 5_000 }),
    liquidity: fc.integer({ min: 0, max: 900 }),
    /** Which of the statuses that may follow it gets; none beyond them. */
    status: fc.nat(statuses),
    from: fc.constantFrom('tracker', 'producer'),
    /** Whether a change of the status comes with evidence, which a producer may send as well. */
    hasEvidence: fc.boolean(),
  });

/** All events of one signal, in order of `rev`, as the signals service makes them. */
export function lifeOf(signal: number, statuses = 30): fc.Arbitrary<readonly SignalEvent[]> {
  return fc.array(stepOf(statuses), { minLength: 0, maxLength: 25 }).map((steps) => {
    let status: SignalStatus = 'active';
    let atMs = createdMs;
    let high = { mcap: entry.mcap, atMs };
    const first = eventOf({ signal, rev: 1, atMs, mcap: entry.mcap, recordedMs: atMs });
    const rest = steps.map(({ afterMs, mcap, liquidity, status: choice, from, hasEvidence }, n) => {
      const earlierMs = atMs;
      atMs += afterMs;
      const recordedMs = atMs + 400;
      if (mcap > high.mcap) high = { mcap, atMs };
      const changed: SignalStatus | undefined = next[status][choice];
      status = changed ?? status;
      const observed_at = new Date(atMs).toISOString();
      const evidence = { rule: 'v1', observations: [new Date(earlierMs).toISOString(), observed_at] };
      return eventOf({
        signal,
        rev: n + 2,
        atMs,
        mcap,
        liquidity,
        status,
        recordedMs,
        mcapAth: high.mcap,
        athHours: Math.round(((high.atMs - createdMs) / 3_600_000) * 100) / 100,
        ...(changed && { getsStatus: true }),
        change: { observed_at, source: from, ...(changed && hasEvidence && { evidence }) },
      });
    });
    return [first, ...rest];
  });
}
