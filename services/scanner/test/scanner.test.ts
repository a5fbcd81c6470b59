import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { expect, it, vi } from 'vitest';
import { defaultThresholds } from '../src/domain/rules/v1.ts';
import type { ScannerMetrics } from '../src/metrics.ts';
import { startScanner } from '../src/scanner.ts';
import type { LeasedSignal } from '../src/store/mongo-made-signals.ts';

it('a scanner judges again when its store is back, although nothing waits to be sent', async () => {
  await using resources = new AsyncDisposableStack();
  const [asked, judged] = [Promise.withResolvers<void>(), vi.fn()];
  let isAway = true;
  const claim = async (): Promise<LeasedSignal | undefined> => {
    asked.resolve();
    if (isAway) throw new Error('the store is away');
    return undefined;
  };
  const find = { list: 'a list', chain: 'base', contract: '0x01', links: {} };
  startScanner(
    {
      markets: {
        observe: async () => ({ kind: 'observed', tokens: new Map() }),
        withFacts: async (token) => ({ kind: 'observed', token }),
      },
      made: { coolingDown: async () => new Set(), add: async () => true },
      thresholds: defaultThresholds,
      rule: 'v1',
      refused: () => undefined,
      wasMade: () => undefined,
      now: () => new Date(),
      lists: [{ name: 'a list', path: '/', read: async () => [find] }],
      unsent: { claim, end: async () => undefined, countUnsent: async () => 0 },
      judged,
      mayRead: () => asked.promise.then(() => true),
      send: async () => ({ kind: 'later', reason: 'never asked' }),
      chains: new Set(['base']),
      metrics: {
        watchWaiting: () => undefined,
        listed: () => undefined,
        sent: () => undefined,
      } as unknown as ScannerMetrics,
      log: silentLogger(),
    },
    { listEveryMs: 100, againAfterMs: 0, leaseMs: 1_000 },
    resources,
  );
  await asked.promise;
  isAway = false;
  await eventually(() => expect(judged).toHaveBeenCalledWith(1));
});
