import { unavailable } from '@sigcast/contracts';
import type { Dispatcher } from 'undici';
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
  const headers = { authorization: `Bearer ${token}` };
  const question = { path, headers, timeoutMs: answerTimeoutMs };
  const { body } = await firstAnswer(upstream, question, [200], readJson);
  return (body as { data?: unknown }).data;
}

type Question = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For all addresses together, in milliseconds. */
  readonly timeoutMs: number;
};

type Answered = Dispatcher.ResponseData;

/** The value of an answer in JSON. */
export const readJson = ({ body }: Answered): Promise<unknown> => body.json();

/**
 * Sends a GET to the addresses of a service, as {@link askService} does, until one answers with one of `statuses`.
 * @param read what is made of that answer.
 * @throws {SigcastError} SERVICE_UNAVAILABLE when none does in time.
 */
export async function firstAnswer<T>(
  upstream: Upstream,
  { path, headers, timeoutMs }: Question,
  statuses: readonly number[],
  read: (answer: Answered) => Promise<T>,
): Promise<{ readonly status: number; readonly body: T }> {
  const tried = new Set<UpstreamAddress>();
  const endMs = performance.now() + timeoutMs;
  let failure: unknown;
  for (let address = upstream.next(tried); address !== undefined; address = upstream.next(tried)) {
    tried.add(address);
    const leftMs = Math.max(0, endMs - performance.now());
    const signal = AbortSignal.timeout(Math.ceil(leftMs * shareOfAddress));
    try {
      const answer = await askAddress(address, { path, headers, signal });
      const { statusCode: status } = answer;
      if (statuses.includes(status)) return { status, body: await read(answer) };
      await answer.body.dump();
      failure = new Error(`${upstream.name} answered ${status}`);
    } catch (error) {
      failure = error;
    }
  }
  throw unavailable(`The service ${upstream.name}`, failure);
}

/** Asks one address and marks it healthy or not, as `ProxyExchange` does. An address that is only slow keeps its mark. */
async function askAddress(
  address: UpstreamAddress,
  { path, headers, signal }: Omit<Question, 'timeoutMs'> & { readonly signal: AbortSignal },
) {
  try {
    const answer = await address.pool.request({
      method: 'GET',
      path,
      signal,
      headers: { ...headers, host: address.host },
    });
    if (/\bclose\b/i.test(String(answer.headers.connection ?? ''))) address.markUnhealthy();
    else address.markHealthy();
    return answer;
  } catch (error) {
    if (!signal.aborted) address.markUnhealthy();
    throw error;
  }
}
