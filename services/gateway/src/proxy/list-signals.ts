import { type Failure, identityHeader, type SignalListItem } from '@sigcast/contracts';
import type { FoundSignals, MakeDigestDeps } from '../domain/mail/make-digest.ts';
import { firstAnswer } from './ask-service.ts';
import type { IdentityTokens } from './identity.ts';
import type { Upstream } from './upstream.ts';

/** A filter may be applied to 20,000 signals. */
const timeoutMs = 20_000;
/** The most signals that one answer has. */
const limit = '100';

/** Lists the signals of a digest as its account does, by the signals service. */
export function listSignals(upstream: Upstream, identity: IdentityTokens): MakeDigestDeps['list'] {
  return async (account, { since, until, filter }): Promise<FoundSignals> => {
    const query = new URLSearchParams({
      since: since.toISOString(),
      until: until.toISOString(),
      limit,
      ...(filter !== null && { filter: JSON.stringify(filter) }),
    });
    const headers = { [identityHeader]: identity.tokenFor(account) };
    const question = { path: `/v1/signals?${query}`, headers, timeoutMs };
    const { status, body } = await firstAnswer(upstream, question, [200, 400]);
    if (status === 400) return { refused: (body as Failure).error.message };
    const { data, meta } = body as { data: readonly SignalListItem[]; meta: { total: number } };
    return { total: meta.total, signals: data };
  };
}
