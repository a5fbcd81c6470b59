import { apiChecker } from '@sigcast/testing';

const check = apiChecker();

/** @throws where an answer is not as the OpenAPI document describes it. */
export function requireDocumented(
  asked: { method: string; path: string; body: string },
  { status, headers }: Response,
): void {
  const problems = check({ ...asked, status, headers });
  if (problems.length > 0) {
    throw new Error(`${asked.method} ${asked.path} → ${status}: ${problems.join('; ')}\n${asked.body}`);
  }
}

let addresses = 0;

/** A client address that nothing else in this process uses, so that tests don't share its limit. */
export function freshAddress(): string {
  addresses += 1;
  return `198.51.${Math.floor(addresses / 250)}.${addresses % 250}`;
}

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    success?: boolean;
    data?: unknown;
    error?: {
      code: string;
      message: string;
      request_id: string;
      retry_after?: number;
      details?: { field: string }[];
    };
  };
};

/** Sends a request from a client address of its own, and parses the body of the answer. */
export async function ask(
  gateway: string,
  path: string,
  { key, address = freshAddress(), ...init }: RequestInit & { key?: string; address?: string } = {},
): Promise<Answer> {
  const headers = new Headers(init.headers);
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`);
  headers.set('x-forwarded-for', address);
  const answer = await fetch(`${gateway}${path}`, { ...init, headers });
  const text = await answer.text();
  // Answers of the scripted service are made up. Failures come from the gateway and must be as the API document says.
  if (answer.status >= 400) requireDocumented({ method: init.method ?? 'GET', path, body: text }, answer);
  return {
    status: answer.status,
    headers: answer.headers,
    body: text === '' ? {} : (JSON.parse(text) as Answer['body']),
  };
}
