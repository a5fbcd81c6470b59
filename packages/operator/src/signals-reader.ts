import { backoffMs, pause } from '@sigcast/runtime';
import { CommandFailed } from './command.ts';

const timeoutMs = 30_000;

/** Enough tries to outlast a restart of the signals service, which takes a few seconds. */
const maxTries = 6;

/** Where the signals service's internal API is, and an operator's token with the scope `signals:read`. */
type SignalsAccess = { readonly url: string; readonly token: string };

/**
 * Makes a function that reads from the signals service's internal API. The function takes what follows
 * `/internal/v1/signals` in the address, and returns the body; undefined for 404. While the service is away, it tries
 * again for some seconds. @throws {CommandFailed} when the service stays away or refuses.
 */
export function signalsReader({ url, token }: SignalsAccess): (path: string) => Promise<unknown> {
  return async (path) => {
    const answer = await tryAgain(`${url.replace(/\/+$/, '')}/internal/v1/signals${path}`, token);
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw refused(url, answer.status);
    return answer.body;
  };
}

async function tryAgain(address: string, token: string): Promise<{ status: number; body: unknown }> {
  for (let attempt = 1; ; attempt++) {
    const answer = await tryOnce(address, token);
    if (answer.status < 500 && answer.status !== 429) return answer;
    if (attempt === maxTries) throw new CommandFailed('signals_unavailable', answer.problem);
    await pause(backoffMs(attempt, { firstMs: 200, maxMs: 5_000 }));
  }
}

async function tryOnce(
  address: string,
  token: string,
): Promise<{ status: number; body: unknown; problem: string }> {
  try {
    const response = await fetch(address, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body: unknown = await response.json();
    return { status: response.status, body, problem: `${address} answers ${response.status}` };
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
    return { status: 503, body: undefined, problem: `${address} can't be read: ${reason}` };
  }
}

function refused(url: string, status: number): CommandFailed {
  const hint = status === 401 || status === 403 ? '; SIGNALS_TOKEN needs the scope signals:read' : '';
  return new CommandFailed('signals_refused', `${url} answers ${status}${hint}`);
}
