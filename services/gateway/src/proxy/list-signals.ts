import { type Failure, identityHeader, type SignalListItem } from '@sigcast/contracts';
import { type FoundSignals, type MakeDigestDeps, shownSignals } from '../domain/mail/make-digest.ts';
import { firstAnswer, readJson } from './ask-service.ts';
import type { IdentityTokens } from './identity.ts';
import type { Upstream } from './upstream.ts';

/** A filter may be applied to 20,000 signals. */
const timeoutMs = 20_000;

/** Lists the signals of a digest as its account does, by the signals service. */
export function listSignals(upstream: Upstream, identity: IdentityTokens): MakeDigestDeps['list'] {
  return async (account, { since, until, filter, sort }): Promise<FoundSignals> => {
    const query = new URLSearchParams({
      since: since.toISOString(),
      until: until.toISOString(),
      sort,
      limit: String(shownSignals),
      ...(filter !== null && { filter: JSON.stringify(filter) }),
    });
    const headers = { [identityHeader]: identity.tokenFor(account) };
    const question = { path: `/v1/signals?${query}`, headers, timeoutMs };
    const { status, body } = await firstAnswer(upstream, question, [200, 400], readJson);
    if (status === 400) return { refused: (body as Failure).error.message };
    const { data, meta } = body as { data: readonly SignalListItem[]; meta: { total: number } };
    return { total: meta.total, signals: data };
  };
}
