import type { NewSignalRequest } from '@sigcast/contracts';
import { tokensPerRequest } from '@sigcast/market';
import {
  backoffMs,
  keepDoing,
  keepLooking,
  type Logger,
  LogThrottle,
  type Resources,
} from '@sigcast/runtime';
import { Candidates } from './domain/candidate.ts';
import { type JudgeDeps, judgeCandidates } from './domain/judge-candidates.ts';
import type { ScannerMetrics } from './metrics.ts';
import type { Sent } from './sending/signals-api.ts';
import type { List } from './sources/lists.ts';
import type { LeasedSignal, UnsentSignals } from './store/mongo-made-signals.ts';

export type ScannerDeps = JudgeDeps & {
  readonly lists: readonly List[];
  readonly unsent: UnsentSignals;
  /** Told how many tokens were judged. */
  readonly judged: (tokens: number) => void;
  /** Whether this process is to read a list now; over all processes, one does in each interval. @throws while that can't be known. */
  readonly mayRead: (list: List) => Promise<boolean>;
  readonly send: (signal: NewSignalRequest, key: string) => Promise<Sent>;
  /** DexScreener's names of the chains whose tokens are looked at. */
  readonly chains: ReadonlySet<string>;
  readonly metrics: ScannerMetrics;
  readonly log: Logger;
};

export type ScannerPace = {
  /** From one look at a list to the next, in milliseconds. */
  readonly listEveryMs: number;
  /** How long a verdict on a token stands, in milliseconds. */
  readonly againAfterMs: number;
  /** How long a process has to send a signal, in milliseconds. */
  readonly leaseMs: number;
};

const judgePauses = { firstMs: 100, maxMs: 2_000 };
/** How long candidates wait after failures in a row. */
const awayPauses = { firstMs: 200, maxMs: 5_000 };
const sendPauses = { firstMs: 200, maxMs: 2_000 };
const retryPauses = { firstMs: 1_000, maxMs: 60_000 };

/**
 * Reads lists of candidates, judges the tokens and sends the signals that they are, until `resources` are released. A signal is
 * stored before it is sent, so that whoever is killed in between, it is sent, and once.
 * @returns how many tokens wait to be judged
 */
export function startScanner(
  deps: ScannerDeps,
  pace: ScannerPace,
  resources: Resources,
): { readonly waiting: number } {
  const { lists, unsent, send, judged, mayRead, chains, metrics, log } = deps;
  const throttle = new LogThrottle();
  const candidates = new Candidates(pace.againAfterMs);
  metrics.watchWaiting(() => candidates.size);
  const warn = (what: string, reason: string) => {
    if (throttle.isDue(what)) log.warn({ reason }, what);
  };

  let failures = 0;
  const sendNext = async () => {
    try {
      const signal = await unsent.claim(pace.leaseMs);
      if (signal === undefined) {
        // What failed here, the store or a sending, has ended, here or at another process.
        if (failures > 0 && (await unsent.countUnsent()) === 0) failures = 0;
        return undefined;
      }
      const sent = await send(signal.request, signal.key);
      if (sent.kind === 'later') {
        failures += 1;
        warn('a signal is sent again later', sent.reason);
        return { retryMs: backoffMs(failures, retryPauses) };
      }
      failures = 0;
      await ended(signal, sent);
      return 0;
    } catch (err) {
      failures += 1;
      warn('signals wait: the store does not answer', String(err));
      return { retryMs: backoffMs(failures, retryPauses) };
    }
  };
  const ended = async (signal: LeasedSignal, sent: Exclude<Sent, { kind: 'later' }>) => {
    if (sent.kind === 'made') {
      await unsent.end(signal, { signal_id: sent.id });
      log.info({ signal_id: sent.id, of: signal._id }, 'a signal was made');
    } else {
      await unsent.end(signal, { refused: sent.reason });
      log.warn({ of: signal._id, reason: sent.reason }, 'the signals service refuses a signal');
    }
    metrics.sent(sent.kind);
  };
  const notifySending = keepLooking(sendNext, sendPauses, resources);

  let away = 0;
  const judgeNext = async (stopping: AbortSignal) => {
    // What is made while nothing can be sent is soon too old.
    if (failures > 0) return { retryMs: awayPauses.firstMs };
    // After a failure fewer are asked about, as it may be one token's.
    const taken = candidates.take(Math.max(1, Math.floor(tokensPerRequest / 2 ** away)), performance.now());
    if (taken.length === 0) return undefined;
    try {
      const { left, problem } = await judgeCandidates(deps, taken, stopping);
      notifySending();
      candidates.giveBack(left);
      judged(taken.length - left.length);
      // Where markets answer, only facts are away, and the tokens that need none go on.
      away = left === taken ? away + 1 : 0;
      if (problem === undefined) return 0;
      warn('candidates wait: a source does not answer', problem.reason);
    } catch (err) {
      candidates.giveBack(taken);
      if (stopping.aborted) return undefined;
      away += 1;
      warn('candidates wait: the store does not answer', String(err));
    }
    return { retryMs: backoffMs(Math.max(1, away), awayPauses) };
  };
  const notifyJudging = keepLooking(judgeNext, judgePauses, resources);

  for (const list of lists) {
    const readList = async (stopping: AbortSignal) => {
      const read = async () => ((await mayRead(list)) ? list.read(stopping) : undefined);
      const found = await read().catch((err: unknown) => ({ problem: String(err) }));
      if (found === undefined) return stopping.aborted ? undefined : pace.listEveryMs;
      if ('problem' in found) {
        if (!stopping.aborted) warn(`the list ${list.name} can't be read`, found.problem);
      } else {
        const ours = found.filter(({ chain }) => chains.has(chain));
        const fresh = ours.filter((find) => candidates.add(find, performance.now()));
        metrics.listed(list.name, found.length, fresh.length);
        if (fresh.length > 0) notifyJudging();
      }
      return stopping.aborted ? undefined : pace.listEveryMs;
    };
    keepDoing(readList, resources);
  }
  return {
    get waiting() {
      return candidates.size;
    },
  };
}
