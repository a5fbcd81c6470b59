import { sampleCalls } from '@sigcast/clients';
import { openApiDocument } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { Sigcast } from '../src/index.ts';

type Operation = {
  readonly parameters?: readonly {
    readonly $ref?: string;
    readonly name?: string;
    readonly in?: string;
    readonly deprecated?: boolean;
  }[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: { readonly $ref: string } } };
  };
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: object }>> };
};
type Groups = Readonly<Record<string, Readonly<Record<string, (...given: unknown[]) => Promise<unknown>>>>>;

const document = openApiDocument('') as Document;

/** The request that a call sends. The request is not answered. */
async function requestOf(call: (sigcast: Sigcast) => Promise<unknown> | undefined): Promise<Request> {
  let sent: Request | undefined;
  const answer = async (input: string | URL | Request, init?: RequestInit) => {
    sent = new Request(input, init);
    throw new Error('no answer');
  };
  const sigcast = new Sigcast({
    apiKey: 'sk_test',
    baseUrl: 'https://api.test/base/',
    maxRetries: 0,
    fetch: answer,
  });
  await call(sigcast)?.catch(() => undefined);
  if (sent === undefined) throw new Error('nothing was sent');
  return sent;
}

describe('the client', () => {
  it.each(sampleCalls())('does $method $path with all its parameters', async (call) => {
    const { group, name, method, path, ids, query, body } = call;
    const given = [...ids, ...(body ? [body] : []), ...(query ? [query] : [])];
    const request = await requestOf((sigcast) => (sigcast as unknown as Groups)[group]?.[name]?.(...given));
    const url = new URL(request.url);
    expect(request.method).toBe(method);
    expect(decodeURIComponent(url.pathname)).toBe(`/base${path.replace(/\{(\w+)\}/g, '$1:1')}`);
    expect(request.headers.get('authorization')).toBe('Bearer sk_test');

    const { parameters = [], requestBody } = document.paths[path]?.[method.toLowerCase()] ?? {};
    const documented = parameters.filter((one) => one.in === 'query' && one.deprecated !== true);
    expect([...url.searchParams.keys()].sort()).toEqual(documented.map((one) => one.name).sort());
    const takesKey = parameters.some(({ $ref }) => $ref?.endsWith('/Idempotency-Key'));
    expect(request.headers.has('idempotency-key')).toBe(takesKey);

    const schema = requestBody?.content['application/json'].schema.$ref.split('/').at(-1) ?? '';
    const sent = request.body === null ? {} : ((await request.json()) as object);
    expect(Object.keys(sent)).toEqual(Object.keys(document.components.schemas[schema]?.properties ?? {}));
  });

  it('sends several values separated by commas, and instants in UTC', async () => {
    const { url } = await requestOf(({ signals }) =>
      signals.list({ type: ['new', '3d'], status: 'winner', since: new Date(0) }),
    );
    expect(url).toBe(
      'https://api.test/base/v1/signals?type=new%2C3d&status=winner&since=1970-01-01T00%3A00%3A00.000Z',
    );
  });

  it.each([
    { apiKey: '' },
    { apiKey: 'sk_ü' },
    { apiKey: 'sk_1\r\nx: y' },
    { baseUrl: 'api.test' },
    { baseUrl: 'ftp://api.test' },
    { baseUrl: 'https://api.test/?x=1' },
    { timeoutMs: 0 },
    { attemptTimeoutMs: Number.NaN },
    { maxRetries: -1 },
    { maxRetries: 0.5 },
  ])('refuses the option %j by its name', (option) => {
    const make = () => new Sigcast({ apiKey: 'sk_test', baseUrl: 'https://api.test', ...option });
    expect(make).toThrow(Object.keys(option)[0]);
  });
});
