import type { SignalListItem } from '@sigcast/contracts';
import type { DigestSignal, DigestValues } from './digest-mail.ts';
import type { Mails } from './sending.ts';
import { type Digest, periodMs } from './settings.ts';

/** How many signals a digest shows: the newest, and the best of the others that were listed. */
const shown = { newest: 10, best: 10 };

/** Signals that a digest's filter matches, the newest of them; or why they can't be listed. */
export type FoundSignals =
  | { readonly total: number; readonly signals: readonly SignalListItem[] }
  | { readonly refused: string };

export type MakeDigestDeps = {
  readonly mails: Pick<Mails, 'add' | 'find'>;
  /** @throws {SigcastError} SERVICE_UNAVAILABLE. */
  readonly list: (
    account: string,
    period: { readonly since: Date; readonly until: Date; readonly filter: Digest['filter'] },
  ) => Promise<FoundSignals>;
};

/**
 * Adds the mail of a digest: of all whole periods since the last one. No signals make no mail.
 * @returns when the digest ends, and the next one begins.
 */
export async function makeDigest(
  { account, every, filter, since }: Digest & { readonly account: string; readonly since: Date },
  now: Date,
  { mails, list }: MakeDigestDeps,
): Promise<Date> {
  const periods = Math.floor((now.getTime() - since.getTime()) / periodMs[every]);
  const until = new Date(since.getTime() + periods * periodMs[every]);
  const found = await list(account, { since, until, filter });
  if ('total' in found && found.total === 0) return until;
  const id = `digest:${account}:${since.toISOString()}`;
  const values: DigestValues = {
    every,
    since: since.toISOString(),
    until: until.toISOString(),
    ...('refused' in found
      ? { total: 0, newest: [], best: [], refused: found.refused }
      : { total: found.total, ...chosen(found.signals), refused: null }),
  };
  if (await mails.add({ id, account, kind: 'digest', values })) return until;
  // A process that died then has added the mail. The next digest begins where that one ends.
  const made = await mails.find(id);
  return made?.kind === 'digest' ? new Date(made.values.until) : until;
}

function chosen(signals: readonly SignalListItem[]) {
  const newest = signals.slice(0, shown.newest);
  const best = signals
    .slice(shown.newest)
    .sort((a, b) => b.performance.ath_roi - a.performance.ath_roi)
    .slice(0, shown.best);
  return { newest: newest.map(digestSignal), best: best.map(digestSignal) };
}

function digestSignal({ id, type, token, metrics, performance }: SignalListItem): DigestSignal {
  const { symbol, name, chain } = token;
  return { id, type, token: { symbol, name, chain }, metrics, performance };
}
