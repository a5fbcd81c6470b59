import { unavailable } from '@sigcast/contracts';
import type { Upstream } from './upstream.ts';
import type { UpstreamAddress } from './upstream-address.ts';

/** An operator's page waits no longer for one service, in milliseconds. */
const answerTimeoutMs = 2_000;
/** Of the time that is left, each address gets this share: one that hangs leaves time for the others. */
const shareOfAddress = 0.5;

/**
 * Asks a service for something of its own, not of an account: `data` of its answer. Each of its addresses is asked, one
 * after the other, until one answers: the first for up to a second, each other for half of the time that is left.
 * @param token for `Authorization: Bearer`, with the scope that the service wants.
 * @throws {SigcastError} SERVICE_UNAVAILABLE when none answers with 200 within two seconds.
 */
export async function askService(upstream: Upstream, path: string, token: string): Promise<unknown> {
  const tried = new Set<UpstreamAddress>();
  const endMs = performance.now() + answerTimeoutMs;
  let failure: unknown;
  for (let address = upstream.next(tried); address !== undefined; address = upstream.next(tried)) {
    tried.add(address);
    const leftMs = Math.max(0, endMs - performance.now());
    const signal = AbortSignal.timeout(Math.ceil(leftMs * shareOfAddress));
    try {
      const { statusCode, body } = await askAddress(address, path, token, signal);
      if (statusCode === 200) return ((await body.json()) as { data?: unknown }).data;
      await body.dump();
      failure = new Error(`${upstream.name} answered ${statusCode}`);
    } catch (error) {
      failure = error;
    }
  }
  throw unavailable(`The service ${upstream.name}`, failure);
}

/** Tells, as the exchange does for customers' requests, whether the address goes on. Only slowness tells nothing. */
async function askAddress(address: UpstreamAddress, path: string, token: string, signal: AbortSignal) {
  try {
    const answer = await address.pool.request({
      ...{ method: 'GET', path, signal },
      headers: { host: address.host, authorization: `Bearer ${token}` },
    });
    if (/\bclose\b/i.test(String(answer.headers.connection ?? ''))) address.doubt();
    else address.trust();
    return answer;
  } catch (error) {
    if (!signal.aborted) address.doubt();
    throw error;
  }
}
