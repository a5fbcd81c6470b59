import { openAggregates } from '@sigcast/aggregates';
import { describe, expect, it, vi } from 'vitest';
import type { SignalSource } from '../src/domain/fact-ledger.ts';
import { rebuild } from '../src/domain/rebuild.ts';
import { verify } from '../src/domain/verify.ts';
import { factAggregates } from '../src/store/fact-document.ts';
import { factFrom, idOf, nowMs, revision, useOperator } from './use-operator.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const hourMs = 3_600_000;

describe('operator commands', () => {
  const { connection, deps, signals, addSignals, record, factAt, run } = useOperator();

  it('`rebuild` makes all facts from the signals, page by page, and `verify` finds them equal', async () => {
    addSignals(...Array.from({ length: 1_200 }, (_, n) => revision(n)));
    expect(await run(['rebuild'])).toMatchObject({
      status: 0,
      out: '1200 signals: 1200 facts recorded, 0 removed',
    });
    expect(await factAt(1_199)).toEqual(factFrom(revision(1_199)));
    const again = await run(['rebuild', '--json']);
    expect(JSON.parse(again.out)).toEqual({ signals: 1_200, recorded: 0, removed: 0 });
    await deps().ledger.remove(factFrom(revision(1_100)));
    expect(await run(['verify'])).toMatchObject({
      status: 1,
      out: expect.stringMatching(new RegExp(`missing ${idOf(1_100)}: signal rev 1 .*, no fact\\n`)),
    });
    await record(revision(1_100));
    const { status, out } = await run(['verify', '--json']);
    expect([status, JSON.parse(out)]).toMatchObject([
      0,
      { signals: 1_200, complete: true, facts: [], figures: [], moving: [] },
    ]);
  });

  it('`verify` prints every missing, stale, wrong and extra fact and every different figure, and `rebuild` corrects them', async () => {
    const good = [revision(1), revision(2)];
    const type = 'wallet' as const;
    const createdAtMs = nowMs - 2 * hourMs;
    const stale = revision(3, { type, createdAtMs, rev: 3, status: 'winner', roi: 500 });
    const wrong = revision(4, { type, createdAtMs, rev: 2, status: 'rugged' });
    const ahead = revision(5, { rev: 2 });
    addSignals(...good, stale, wrong, ahead, revision(6));
    await record(...good, { ...stale, rev: 2, status: 'active', roi: 100 }, { ...wrong, status: 'active' });
    await record({ ...ahead, rev: 9 }, revision(7));

    const waitForEvents = async () => false;
    const found = await verify({ ...deps(), now: () => new Date(nowMs), waitForEvents });
    expect(found.facts.map(({ kind, id }) => [kind, id])).toEqual([
      ['stale', idOf(3)],
      ['wrong', idOf(4)],
      ['wrong', idOf(5)],
      ['missing', idOf(6)],
      ['extra', idOf(7)],
    ]);
    expect(found.figures).toContainEqual({
      period: '24h',
      type,
      figure: 'winners',
      served: 0,
      recounted: 1,
    });
    expect(found.figures).toContainEqual(
      expect.objectContaining({ period: 'all', type, figure: 'roiSum', served: 168n, recounted: 568n }),
    );

    expect(await rebuild(deps())).toEqual({ signals: 6, recorded: 4, removed: 1 });
    const mended = await verify({ ...deps(), now: () => new Date(nowMs), waitForEvents });
    expect(mended).toMatchObject({ signals: 6, facts: [], figures: [], moving: [] });
  });

  it('`rebuild` counts a distribution that a process of another version did not know', async () => {
    const realizable = { roi: 9_505, exit: 'target' } as const;
    const all = Array.from({ length: 60 }, (_, n) => revision(n, { realizable }));
    addSignals(...all);
    await record(...all);
    const { distribution } = factAggregates.distributions ?? {};
    const other = openAggregates(connection(), {
      ...factAggregates,
      distributions: { ...(distribution && { distribution }) },
    });
    await other.build();
    while (!(await other.refresh()));
    expect(await run(['verify'])).toMatchObject({ status: 1 });
    expect(await run(['rebuild'])).toMatchObject({ status: 0 });
    expect(await run(['verify'])).toMatchObject({ status: 0 });
  });

  it('`rebuild` can be run again after an interruption', async () => {
    addSignals(...Array.from({ length: 1_500 }, (_, n) => revision(n)));
    let pages = 0;
    const broken: SignalSource = {
      ...deps().source,
      page: (after) => (++pages === 2 ? Promise.reject(new Error('interrupted')) : deps().source.page(after)),
    };
    await expect(rebuild({ ...deps(), source: broken })).rejects.toThrow('interrupted');
    expect(await rebuild(deps())).toEqual({ signals: 1_500, recorded: 500, removed: 0 });
  });

  it('`rebuild` does not change facts that arrive while it reads', async () => {
    addSignals(revision(1, { rev: 1 }));
    const newer = revision(1, { rev: 2, roi: 77 });
    const fresh = revision(2);
    const racing: SignalSource = {
      ...deps().source,
      page: async (after) => {
        const page = await deps().source.page(after);
        signals().splice(0, 1, newer, fresh);
        await record(newer, fresh);
        return page;
      },
    };
    expect(await rebuild({ ...deps(), source: racing })).toEqual({ signals: 1, recorded: 0, removed: 0 });
    expect([await factAt(1), await factAt(2)]).toEqual([factFrom(newer), factFrom(fresh)]);
  });

  it.each([
    ['an unknown command', ['recount'], {}, 2, /rebuild/],
    ['too much', ['verify', 'now'], {}, 2, /unexpected argument: now\nUsage: verify/],
    [
      'missing settings',
      ['verify'],
      { SIGNALS_URL: '', SIGNALS_TOKEN: '' },
      2,
      /SIGNALS_URL.*\n.*SIGNALS_TOKEN/,
    ],
    ['a refused token', ['rebuild'], { SIGNALS_TOKEN: 'nobody' }, 1, /signals:read/],
  ] as const)('say what is wrong with %s', async (_, args, env, status, message) => {
    expect(await run(args, env)).toMatchObject({ status, err: expect.stringMatching(message) });
  });
});
