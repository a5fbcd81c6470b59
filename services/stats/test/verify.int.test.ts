import { describe, expect, it, vi } from 'vitest';
import type { StatisticsStore } from '../src/domain/ports.ts';
import { verify } from '../src/domain/verify.ts';
import type { StatsContext } from '../src/operator/command.ts';
import { verifyCommand } from '../src/operator/verify-command.ts';
import { nowMs, revision, useOperator } from './use-operator.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

describe('the operator command `verify`', () => {
  const { deps, addSignals, record } = useOperator();

  it('`verify` waits for events on their way', async () => {
    addSignals(revision(1, { rev: 2 }), revision(2));
    await record(revision(1, { rev: 1, roi: 1 }));
    const waitForEvents = async (attempt: number) => {
      if (attempt === 1) await record(revision(1, { rev: 2 }));
      else await record(revision(2));
      return attempt < 5;
    };
    const found = await verify({ ...deps(), now: () => new Date(nowMs), waitForEvents });
    expect(found).toMatchObject({ facts: [], figures: [], moving: [] });
  });

  it('`verify` does not compare figures that change while it counts', async () => {
    addSignals(revision(1));
    await record(revision(1));
    let calls = 0;
    const moving: StatisticsStore = {
      totals: async (...asked) => {
        const { totals, ...others } = await deps().store.totals(...asked);
        const more = { total: ++calls, winners: 0, roiSum: 0n, roiMax: 0 };
        return { ...others, totals: new Map(totals).set('premium', more) };
      },
    };
    const { figures, moving: left } = await verify({
      ...deps(),
      store: moving,
      now: () => new Date(nowMs),
      waitForEvents: async () => false,
    });
    expect(figures).toEqual([]);
    expect(left).toContainEqual({ period: 'all', type: 'premium' });
    const work: StatsContext['work'] = (task) => task({ ...deps(), store: moving });
    expect(await verifyCommand.run({ args: [], work } as never)).toMatchObject({
      status: 3,
      text: expect.stringMatching(/figures equal, \d+ not compared/),
    });
  });

  it('`verify` prints wrong figures though the facts are right', async () => {
    addSignals(revision(1, { type: 'new' }));
    await record(revision(1, { type: 'new' }));
    const lying: StatisticsStore = {
      totals: async (...asked) => ({
        ...(await deps().store.totals(...asked)),
        totals: new Map([['new', { total: 2, winners: 0, roiSum: 17n, roiMax: 17 }]] as const),
      }),
    };
    const { facts, figures } = await verify({
      ...deps(),
      store: lying,
      now: () => new Date(nowMs),
      waitForEvents: async () => false,
    });
    expect(facts).toEqual([]);
    expect(figures).toContainEqual({
      period: 'all',
      type: 'new',
      figure: 'total',
      served: 2,
      recounted: 1,
    });
  });

  it('`verify` prints wrong figures of positions', async () => {
    const type = 'new' as const;
    const all = [
      revision(1, { type, realizable: { roi: 9_505, exit: 'target' } }),
      revision(2, { type, realizable: { roi: -5_100, exit: 'stop' } }),
      revision(3, { type, realizable: { roi: 1, exit: 'open' } }),
      revision(4, { type }),
    ];
    addSignals(...all);
    await record(...all);
    const checks = { ...deps(), now: () => new Date(nowMs), waitForEvents: async () => false };
    expect(await verify(checks)).toMatchObject({ facts: [], figures: [], moving: [] });

    const lying: StatisticsStore = {
      totals: async (...asked) => {
        const { realizable, ...others } = await deps().store.totals(...asked);
        const own = realizable?.get(type);
        const more = own && { ...own, roiSum: own.roiSum + 1n, byExit: { ...own.byExit, stop: 7 } };
        return { ...others, realizable: new Map(more && [[type, more]]) };
      },
    };
    const { figures } = await verify({ ...checks, store: lying });
    expect(figures.filter(({ period }) => period === 'all')).toEqual([
      { period: 'all', type, figure: 'stop', served: 7, recounted: 1 },
      { period: 'all', type, figure: 'realizableSum', served: 4_407n, recounted: 4_406n },
    ]);
  });
});
