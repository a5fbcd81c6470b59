import { unavailable } from '@sigcast/contracts';
import type { Upstream } from './upstream.ts';
import type { UpstreamAddress } from './upstream-address.ts';

/** The longest that an operator's page waits for one service, in milliseconds. */
const answerTimeoutMs = 2_000;
/** The share of the remaining time that each address gets. An address that hangs leaves time for the others. */
const shareOfAddress = 0.5;

/**
 * Sends a GET to a service in the name of an operator and returns `data` of the answer. The addresses are asked one after
 * the other until one answers: the first for up to a second, each other for half of the time that is left.
 * @param token for `Authorization: Bearer`, with the scope that the service wants.
 * @throws {SigcastError} SERVICE_UNAVAILABLE when no address answers with 200 within two seconds.
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
      const { statusCode, body } = await askAddress(address, { path, token, signal });
      if (statusCode === 200) return ((await body.json()) as { data?: unknown }).data;
      await body.dump();
      failure = new Error(`${upstream.name} answered ${statusCode}`);
    } catch (error) {
      failure = error;
    }
  }
  throw unavailable(`The service ${upstream.name}`, failure);
}

/** Asks one address and marks it healthy or not, as `ProxyExchange` does. An address that is only slow keeps its mark. */
async function askAddress(
  address: UpstreamAddress,
  { path, token, signal }: { path: string; token: string; signal: AbortSignal },
) {
  try {
    const answer = await address.pool.request({
      method: 'GET',
      path,
      signal,
      headers: { host: address.host, authorization: `Bearer ${token}` },
    });
    if (/\bclose\b/i.test(String(answer.headers.connection ?? ''))) address.markUnhealthy();
    else address.markHealthy();
    return answer;
  } catch (error) {
    if (!signal.aborted) address.markUnhealthy();
    throw error;
  }
}
