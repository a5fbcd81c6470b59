import { unavailable } from '@sigcast/contracts';
import type { Upstream } from './upstream.ts';
import type { UpstreamAddress } from './upstream-address.ts';

/** An operator's page waits no longer for one service, in milliseconds. */
const answerTimeoutMs = 2_000;

/**
 * Asks a service for something of its own, not of an account: `data` of its answer. Each of its addresses is asked, one
 * after the other, until one answers.
 * @param token for `Authorization: Bearer`, with the scope that the service wants.
 * @throws {SigcastError} SERVICE_UNAVAILABLE when none answers with 200 within two seconds.
 */
export async function askService(upstream: Upstream, path: string, token: string): Promise<unknown> {
  const tried = new Set<UpstreamAddress>();
  const signal = AbortSignal.timeout(answerTimeoutMs);
  let failure: unknown;
  for (let address = upstream.next(tried); address !== undefined; address = upstream.next(tried)) {
    tried.add(address);
    try {
      const { statusCode, body } = await address.pool.request({
        ...{ method: 'GET', path, signal },
        headers: { host: address.host, authorization: `Bearer ${token}` },
      });
      if (statusCode === 200) return ((await body.json()) as { data?: unknown }).data;
      await body.dump();
      failure = new Error(`${upstream.name} answered ${statusCode}`);
    } catch (error) {
      failure = error;
    }
  }
  throw unavailable(`The service ${upstream.name}`, failure);
}
