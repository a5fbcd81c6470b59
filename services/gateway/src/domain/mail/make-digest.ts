import type { SignalListItem } from '@sigcast/contracts';
import { dayMs } from '../usage.ts';
import type { DigestSignal, DigestValues } from './digest-mail.ts';
import type { Mails } from './sending.ts';
import { type Digest, digestDelayMs, periodMs } from './settings.ts';

/** How many signals a digest shows. */
export const shownSignals = 10;
/** The longest time that a digest covers: after a longer outage, earlier signals are left out. */
const maxMs = 31 * dayMs;

/** Signals that a digest's filter matches, the first {@link shownSignals} of them; or why they can't be listed. */
export type FoundSignals =
  | { readonly total: number; readonly signals: readonly SignalListItem[] }
  | { readonly refused: string };

export type MakeDigestDeps = {
  readonly mails: Pick<Mails, 'add' | 'find'>;
  /** @throws {SigcastError} SERVICE_UNAVAILABLE. */
  readonly list: (
    account: string,
    asked: {
      readonly since: Date;
      readonly until: Date;
      readonly filter: Digest['filter'];
      readonly sort: 'created_at' | 'ath_roi';
    },
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
  const periods = Math.floor((now.getTime() - digestDelayMs - since.getTime()) / periodMs[every]);
  const until = new Date(since.getTime() + periods * periodMs[every]);
  const from = new Date(Math.max(since.getTime(), until.getTime() - maxMs));
  const asked = { since: from, until, filter };
  const found = await list(account, { ...asked, sort: 'created_at' });
  if ('total' in found && found.total === 0) return until;
  const isMore = 'total' in found && found.total > shownSignals;
  const best = isMore ? await list(account, { ...asked, sort: 'ath_roi' }) : undefined;
  const id = `digest:${account}:${since.toISOString()}`;
  const values: DigestValues = {
    every,
    since: from.toISOString(),
    until: until.toISOString(),
    ...('refused' in found
      ? { total: 0, newest: [], best: [], refused: found.refused }
      : {
          total: found.total,
          newest: found.signals.map(digestSignal),
          // There may be too many to sort.
          best: best !== undefined && 'total' in best ? best.signals.map(digestSignal) : [],
          refused: null,
        }),
  };
  if (await mails.add({ id, account, kind: 'digest', values })) return until;
  // A process that died then has added the mail. The next digest begins where that one ends.
  const made = await mails.find(id);
  return made?.kind === 'digest' ? new Date(made.values.until) : until;
}

function digestSignal({ id, type, token, metrics, performance }: SignalListItem): DigestSignal {
  const { symbol, name, chain } = token;
  return { id, type, token: { symbol, name, chain }, metrics, performance };
}
