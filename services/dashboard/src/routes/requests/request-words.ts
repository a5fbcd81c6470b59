import type { ApiKeyView, LoggedRequest } from '@sigcast/contracts';
import type { Tone } from '../../ui/tone.ts';

/** The colour of a status: a client can mend its own errors. That the client went away is no error. */
export function statusTone(status: number): Tone {
  if (status === 499) return 'neutral';
  if (status >= 500) return 'bad';
  return status >= 400 ? 'warn' : 'good';
}

/** The name of a request's key: that of the account's key, or its identifier where the key is no longer kept. */
export function keyName(key: string, keys: readonly ApiKeyView[]): string {
  if (key === 'dashboard') return 'Dashboard';
  return keys.find(({ id }) => id === key)?.name ?? key;
}

/** How requests went. */
export type RequestSummary = {
  readonly clientErrors: number;
  readonly serverErrors: number;
  /** Half of the requests, and 95% of them, took at most so long, in milliseconds; undefined where there is none. */
  readonly p50: number | undefined;
  readonly p95: number | undefined;
};

/** The figures of requests. A stream lasts as long as its client listens, so its latency is left out. */
export function summaryOf(requests: readonly LoggedRequest[]): RequestSummary {
  const latencies = requests
    .filter(({ route }) => route !== '/v1/stream')
    .map(({ latency_ms: ms }) => ms)
    .sort((a, b) => a - b);
  const within = (share: number) => latencies[Math.ceil(latencies.length * share) - 1];
  const from = (least: number, below: number) =>
    requests.filter(({ status }) => status >= least && status < below).length;
  return { clientErrors: from(400, 500), serverErrors: from(500, 600), p50: within(0.5), p95: within(0.95) };
}

/** Methods whose requests have a body. */
const withBody = new Set(['POST', 'PATCH']);

/**
 * A command for a POSIX shell that sends such a request again. The key is in a variable. Identifiers, parameters and the body
 * are not in the log; undefined for a path that the API does not have.
 */
export function repeatCommand(origin: string, { method, route }: LoggedRequest): string | undefined {
  if (route === null) return undefined;
  return [
    // With -g, curl leaves braces of the address as they are.
    `curl -g -i${method === 'HEAD' ? ' -I' : method === 'GET' ? '' : ` -X ${method}`} '${origin}${route}'`,
    '-H "Authorization: Bearer $SIGCAST_API_KEY"',
    ...(withBody.has(method) ? ["-H 'Content-Type: application/json'", "--data '{}'"] : []),
  ].join(' \\\n  ');
}

/** What has to be put into the command; undefined where nothing is missing. */
export function missingParts({ method, route }: LoggedRequest): string | undefined {
  const parts = [
    ...(route?.includes('{') ? ['identifiers for the braces'] : []),
    ...(withBody.has(method) ? ['the body'] : []),
  ];
  return parts.length === 0 ? undefined : `Add ${parts.join(' and ')}. The log does not keep them.`;
}
