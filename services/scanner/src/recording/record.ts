import type { Logger, Resources } from '@sigcast/runtime';
import { Registry } from 'prom-client';
import { candidateKey, type Find } from '../domain/candidate.ts';
import type { JudgeDeps } from '../domain/judge-candidates.ts';
import { ScannerMetrics } from '../metrics.ts';
import { startScanner } from '../scanner.ts';
import type { ConnectedSources } from '../sources/connect-sources.ts';
import type { List } from '../sources/lists.ts';
import { marketsOf } from '../sources/markets.ts';
import { memoryMadeSignals } from './memory-made-signals.ts';

/** For how long a token is observed after a list has named it last, in milliseconds. */
const observedMs = 6 * 3_600_000;

/**
 * Runs the scanner on sources that are recorded, until `resources` are released: it makes no signals, and asks for holders and
 * risks of those tokens that would be signals. A token is observed for six hours each time that lists are read, so
 * that the recording shows what became of it.
 */
export function startRecording(
  { lists, figures }: ConnectedSources,
  options: Pick<JudgeDeps, 'thresholds' | 'rule'> & {
    readonly chains: ReadonlySet<string>;
    readonly everyMs: number;
    readonly log: Logger;
  },
  resources: Resources,
): void {
  const now = () => new Date();
  const seen = new Map<string, Find & { readonly atMs: number }>();
  const noted = lists.map(
    (list): List => ({
      ...list,
      read: async (stopping) => {
        const found = await list.read(stopping);
        for (const find of 'problem' in found ? [] : found)
          seen.set(candidateKey(find), { ...find, atMs: performance.now() });
        return found;
      },
    }),
  );
  const stillObserved = () => [...seen.values()].filter(({ atMs }) => performance.now() - atMs < observedMs);
  const known: List = { name: 'recording:seen', path: '', read: () => Promise.resolve(stillObserved()) };
  startScanner(
    {
      ...options,
      now,
      lists: [...noted, known],
      markets: marketsOf(figures, now),
      made: memoryMadeSignals({ coolDownMs: Number.POSITIVE_INFINITY, now }),
      metrics: new ScannerMetrics(new Registry()),
      mayRead: () => Promise.resolve(true),
      judged: () => undefined,
      refused: () => undefined,
      wasMade: () => undefined,
      unsent: {
        claim: () => Promise.resolve(undefined),
        end: () => Promise.resolve(),
        countUnsent: () => Promise.resolve(0),
      },
      send: () => Promise.resolve({ kind: 'later', reason: 'a recording sends nothing' }),
    },
    { listEveryMs: options.everyMs, againAfterMs: options.everyMs, leaseMs: options.everyMs },
    resources,
  );
}
