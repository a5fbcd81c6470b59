import { openApiDocument } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { Sigcast } from '../src/index.ts';

type Schema = { readonly properties?: Readonly<Record<string, unknown>>; readonly $ref?: string };
type Operation = {
  readonly parameters?: readonly {
    readonly name?: string;
    readonly in?: string;
    readonly deprecated?: boolean;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

const since = new Date(0);
const token = { symbol: 'NOVA', contract: '0x1' };
const filter = { type: ['new', '3d'], status: 'winner', since, until: since, ...token } as const;
const deliveryFilter = {
  status: 'retrying',
  event: 'signal.new',
  http_status: 500,
  signal_id: 'sig_1',
  since,
} as const;
const backtest = {
  filters: { since, until: since, types: ['new'], is_premium: true, min_mcap: 1, max_mcap: 2 },
  ...{ delay_minutes: 1, size_usd: 100, target: 2, stop: null, hold_hours: 24 },
  costs: { fee_percent: 1, price_impact: false },
  as_of: since,
} as const;
const page = { limit: 1, page: 2 };
const hook = {
  url: 'https://example.com/',
  events: ['signal.new'],
  types: ['new'],
  ordered: true,
  description: '',
} as const;

/** A call of every operation, with every parameter. */
const calls: Readonly<Record<string, (sigcast: Sigcast) => Promise<unknown>>> = {
  'GET /v1/signals': ({ signals }) =>
    signals.list({ ...filter, ...page, include: ['outcome', 'realizable'], as_of: since, cursor: 'c' }),
  'GET /v1/signals/{}': ({ signals }) => signals.get('sig_1', { include: 'realizable', as_of: since }),
  'GET /v1/signals/{}/history': ({ signals }) =>
    signals.history('sig_1', { from: since, until: since, resolution: '5m' }),
  'GET /v1/stats': ({ stats }) =>
    stats.get({ type: '30d', period: '7d', include: ['distribution', 'realizable'], as_of: since }),
  'GET /v1/stats/series': ({ stats }) =>
    stats.series({ type: '30d', period: '7d', interval: 'hour', include: 'realizable' }),
  'POST /v1/backtests': ({ backtests }) => backtests.create(backtest),
  'GET /v1/backtests': ({ backtests }) => backtests.list(page),
  'GET /v1/backtests/{}': ({ backtests }) => backtests.get('bt_1'),
  'DELETE /v1/backtests/{}': ({ backtests }) => backtests.delete('bt_1'),
  'GET /v1/webhooks': ({ webhooks }) => webhooks.list(page),
  'POST /v1/webhooks': ({ webhooks }) => webhooks.create(hook),
  'GET /v1/webhooks/{}': ({ webhooks }) => webhooks.get('wh_1'),
  'PATCH /v1/webhooks/{}': ({ webhooks }) => webhooks.update('wh_1', { ...hook, status: 'enabled' }),
  'DELETE /v1/webhooks/{}': ({ webhooks }) => webhooks.delete('wh_1'),
  'POST /v1/webhooks/{}/rotate-secret': ({ webhooks }) => webhooks.rotateSecret('wh_1'),
  'POST /v1/webhooks/{}/test': ({ webhooks }) => webhooks.test('wh_1'),
  'POST /v1/webhooks/{}/recover': ({ webhooks }) => webhooks.recover('wh_1', { since }),
  'GET /v1/webhooks/{}/health': ({ webhooks }) => webhooks.health('wh_1'),
  'GET /v1/webhooks/{}/deliveries': ({ webhooks }) =>
    webhooks.deliveries('wh_1', { ...deliveryFilter, ...page, cursor: 'c' }),
  'GET /v1/webhooks/{}/deliveries/{}': ({ webhooks }) => webhooks.delivery('wh_1', 'evt_1:wh_1'),
  'POST /v1/webhooks/{}/deliveries/{}/retry': ({ webhooks }) => webhooks.retryDelivery('wh_1', 'evt_1:wh_1'),
  'GET /v1/events': ({ events }) =>
    events.list({
      ...{ after: 'c', order: 'desc', events: ['signal.new'], types: 'new', signal_id: 'sig_1', limit: 1 },
    }),
  'GET /v1/stream': (sigcast) =>
    sigcast.stream({ events: ['signal.new'], types: ['new'], lastEventId: '1' }).next(),
};

/** Query parameters for clients that can't set a header; this client sets the header. */
const standIns = ['last_event_id'];

const document = openApiDocument('') as Document;
const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(() => path.startsWith('/v1/'))
    .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

/** The request that a call sends. The request is not answered. */
async function requestOf(call: (sigcast: Sigcast) => Promise<unknown>): Promise<Request> {
  let sent: Request | undefined;
  const answer = async (input: string | URL | Request, init?: RequestInit) => {
    sent = new Request(input, init);
    throw new Error('no answer');
  };
  const sigcast = new Sigcast({
    ...{ apiKey: 'sk_test', baseUrl: 'https://api.test/base/', maxRetries: 0 },
    fetch: answer,
  });
  await call(sigcast).catch(() => undefined);
  if (sent === undefined) throw new Error('nothing was sent');
  return sent;
}

describe('the client', () => {
  it.each(documented)('can do $method $path with all its parameters', async ({ method, path, operation }) => {
    const request = await requestOf(calls[`${method} ${path.replace(/\{\w+\}/g, '{}')}`] ?? (async () => {}));
    const url = new URL(request.url);
    expect(request.method).toBe(method);
    expect(decodeURIComponent(url.pathname)).toMatch(
      new RegExp(`^/base${path.replace(/\{\w+\}/g, '[\\w:]+')}$`),
    );
    expect(request.headers.get('authorization')).toBe('Bearer sk_test');

    const parameters = (operation.parameters ?? [])
      .filter((parameter) => parameter.in === 'query' && parameter.deprecated !== true)
      .map(({ name = '' }) => name)
      .filter((name) => !standIns.includes(name));
    expect([...url.searchParams.keys()]).toEqual(expect.arrayContaining(parameters));

    const schema = operation.requestBody?.content['application/json'].schema;
    if (schema === undefined) return;
    const { properties } = document.components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
    const body = (await request.json()) as object;
    expect(Object.keys(body)).toEqual(expect.arrayContaining(Object.keys(properties ?? {})));
  });

  it('sends several values separated by commas, and instants in UTC', async () => {
    const { url } = await requestOf(({ signals }) =>
      signals.list({ type: ['new', '3d'], status: 'winner', since }),
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
