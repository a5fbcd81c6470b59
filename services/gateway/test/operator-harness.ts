import { signedUp } from './account-harness.ts';
import { freshAddress } from './ask.ts';
import type { World } from './harness.ts';

/** The path of all routes for operators. */
export const root = '/account/operator';

export type Asked = {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
};

/** Sends a request to a route for operators. The API document does not describe these routes, so answers are not checked against it. */
export async function sendTo(
  gateway: string,
  path: string,
  { method = 'GET', token, body, headers = {} }: Asked = {},
) {
  const answer = await fetch(gateway + path, {
    method,
    headers: {
      'x-forwarded-for': freshAddress(),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const parsed = (text === '' ? {} : JSON.parse(text)) as {
    data?: unknown;
    error?: { code: string; message: string; details?: { field: string }[] };
  };
  return { status: answer.status, headers: answer.headers, body: parsed };
}

/** A browser in which an operator has just signed up. */
export async function signedUpOperator(
  world: World,
  gateway: string,
): Promise<Awaited<ReturnType<typeof signedUp>>> {
  const operator = await signedUp(gateway);
  await world.accounts.setOperator(operator.id, true);
  return operator;
}
