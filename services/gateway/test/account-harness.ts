import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { freshAddress, requireDocumented } from './ask.ts';

export type AccountAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    success?: boolean;
    // The tests look at what they expect to be there.
    data?: Record<string, unknown> & {
      access_token?: string;
      account?: { id: string };
      key?: string;
      id?: string;
    };
    error?: { code: string; message: string; retry_after?: number; details?: { field: string }[] };
  };
};

/** A browser with its own address: keeps cookies as browsers do, and the access token as a page does. */
export class Browser {
  readonly gateway: string;
  readonly address: string;
  /** The refresh cookie, and that of a known device. */
  cookie: string | undefined;
  device: string | undefined;
  token: string | undefined;

  constructor(gateway: string, address = freshAddress()) {
    this.gateway = gateway;
    this.address = address;
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const answer = await fetch(`${this.gateway}${path}`, {
      method,
      headers: {
        'x-forwarded-for': this.address,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...(/^\/account(?:$|[/?])/.test(path) && { cookie: this.#cookiesFor(path) }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    requireDocumented({ method, path, body: text }, answer);
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      if (pair.includes('sigcast_device')) this.device = pair;
      else this.cookie = pair.endsWith('=') ? undefined : pair;
    }
    const parsed: AccountAnswer = {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? {} : (JSON.parse(text) as AccountAnswer['body']),
    };
    if (parsed.body.data?.access_token !== undefined) this.token = parsed.body.data.access_token;
    return parsed;
  }

  #cookiesFor(path: string): string {
    const isForSession = /^\/account\/session(?:$|[/?])/.test(path);
    const cookies = [isForSession ? this.cookie : undefined, this.device];
    return cookies.filter((pair) => pair !== undefined).join('; ');
  }
}

export const goodPassword = 'correct horse battery';

let people = 0;

export function freshEmail(): string {
  people += 1;
  return `person-${process.pid}-${people}@example.test`;
}

/** A browser in which somebody has just signed up. */
export async function signedUp(gateway: string): Promise<Browser & { email: string; id: string }> {
  const browser = new Browser(gateway);
  const email = freshEmail();
  const answer = await browser.send('POST', '/account', { email, password: goodPassword });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return Object.assign(browser, { email, id: answer.body.data?.account?.id ?? '' });
}

/** The text of a new key of a holder's account. */
export async function keyOf(holder: Browser): Promise<string> {
  return (await holder.send('POST', '/account/keys', { name: 'mine' })).body.data?.key ?? '';
}

/** The status of a holder's request whose body comes only after something else, which is done once the request is let in. */
export async function statusOfLate(
  { gateway, token }: Browser,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: object },
  meanwhile: () => Promise<unknown>,
): Promise<number | undefined> {
  const text = JSON.stringify(body);
  const asking = request(`${gateway}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': text.length,
      expect: '100-continue',
    },
  });
  asking.flushHeaders();
  // The session is known now, and the body is wanted.
  await once(asking, 'continue');
  await meanwhile();
  asking.end(text);
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}
