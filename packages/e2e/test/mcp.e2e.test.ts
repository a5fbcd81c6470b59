import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { apiOperations, type Operation } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedSystem, type TestSystem } from './system.ts';

let system: TestSystem;
let signalId: string;
let webhookId: string;
const clients: Client[] = [];

beforeAll(async () => {
  system = await sharedSystem();
  const content = { url: 'http://127.0.0.1:8080/', events: ['signal.new'] };
  const made = await system.api('/v1/webhooks', { method: 'POST', body: JSON.stringify(content) });
  webhookId = (made.body.data as { id: string }).id;
  signalId = await system.createSignal();
}, 240_000);
afterAll(async () => {
  for (const client of clients) await client.close();
  await system.stop();
});

/** The official client, with a key of an account. `legacy` speaks the protocol of 2025. */
async function connected(mode: 'auto' | 'legacy' = 'auto', key = system.apiKey): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', system.gatewayUrl), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  clients.push(client);
  return client;
}

type Result = Awaited<ReturnType<Client['callTool']>>;
const dataOf = <T>({ structuredContent }: Result) => (structuredContent as { data: T }).data;
const errorOf = ({ isError, content }: Result) => {
  expect(isError).toBe(true);
  const [first] = content as { text: string }[];
  return JSON.parse(first?.text ?? '') as { code: string; message: string; retry_after?: number };
};

describe.each(['auto', 'legacy'] as const)('a client of the protocol %s', (mode) => {
  it('gets the operations as tools, calls each, and its answers have the form that the tools promise', async () => {
    const client = await connected(mode);
    const { tools } = await client.listTools();
    const expected = apiOperations.filter(({ tool }: Operation) => tool === true);
    expect(tools).toHaveLength(expected.length);
    expect(
      tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name),
    ).toEqual(['create_backtest']);
    const called = new Set<string>();
    // The client checks each answer against the tool's output schema.
    const call = async <T>(name: string, given: Record<string, unknown> = {}): Promise<T> => {
      called.add(name);
      const result = await client.callTool({ name, arguments: given });
      expect(result).toMatchObject({ structuredContent: { success: true } });
      expect(JSON.parse((result.content as { text: string }[])[0]?.text ?? '')).toEqual(
        result.structuredContent,
      );
      return dataOf(result);
    };
    expect((await call<{ id: string }[]>('list_signals', { limit: 1, type: ['new', '3d'] }))[0]?.id).toMatch(
      /^sig_/,
    );
    expect(await call('get_signal', { signal_id: signalId })).toMatchObject({ id: signalId });
    await eventually(async () => {
      for (const name of ['get_signal_history', 'get_signal_proof']) {
        const { isError } = await client.callTool({ name, arguments: { signal_id: signalId } });
        expect([name, isError ?? false]).toEqual([name, false]);
      }
    });
    await call('get_signal_history', { signal_id: signalId, resolution: '1h' });
    await call('get_signal_proof', { signal_id: signalId });
    await call('get_statistics', { period: '24h', include: 'distribution' });
    await call('get_statistics_series', { period: '24h' });
    const { id } = await call<{ id: string }>('create_backtest', {
      filters: { since: '2026-01-01', until: '2026-01-02' },
    });
    expect(await call('get_backtest', { backtest_id: id })).toMatchObject({ id });
    expect(await call('list_backtests')).toContainEqual(expect.objectContaining({ id }));
    expect(await call('list_webhooks')).toContainEqual(expect.objectContaining({ id: webhookId }));
    await call('get_webhook_health', { webhook_id: webhookId });
    const delivery = await eventually(async () => {
      const [first] = await call<{ id: string }[]>('list_deliveries', { webhook_id: webhookId, limit: 1 });
      expect(first).toBeDefined();
      return first?.id;
    });
    await call('get_delivery', { webhook_id: webhookId, delivery_id: delivery });
    const [event] = await call<{ id: string }[]>('list_events', { order: 'desc', limit: 1 });
    expect(await call('get_event', { event_id: event?.id })).toMatchObject({ id: event?.id });
    expect([...called].sort()).toEqual(tools.map(({ name }) => name).sort());
  });

  it('reads the newest events and a signal as resources', async () => {
    const client = await connected(mode);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['sigcast://events']);
    const textAt = async (uri: string) =>
      JSON.parse(
        (await client.readResource({ uri })).contents
          .map((part) => ('text' in part ? part.text : ''))
          .join(''),
      ) as {
        data: unknown;
      };
    await eventually(async () => {
      const { data } = await textAt('sigcast://events');
      expect(data).toContainEqual(
        expect.objectContaining({ data: expect.objectContaining({ id: signalId }) }),
      );
    });
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
    expect((await textAt(`sigcast://signals/${signalId}`)).data).toMatchObject({ id: signalId });
    await expect(
      client.readResource({ uri: 'sigcast://signals/sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z' }),
    ).rejects.toThrow(/no signal/i);
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow();
  });
});

describe('a tool', () => {
  it('says which argument is wrong, in the words of the API', async () => {
    const client = await connected();
    const call = async (name: string, given: Record<string, unknown>) =>
      errorOf(await client.callTool({ name, arguments: given }));
    expect(await call('list_signals', { limit: 101, limti: 5 })).toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(/limit must be a whole number from 1 to 100.*limti/s),
    });
    expect(await call('get_signal', {})).toMatchObject({ code: 'INVALID_REQUEST', message: /signal_id/ });
    expect(await call('create_backtest', { size_usd: -1 })).toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(client.callTool({ name: 'delete_everything', arguments: {} })).rejects.toThrow(
      'There is no tool delete_everything',
    );
  });

  it.each(['../../internal/v1/signals', '..', 'a/b', 'a\\b', 'sig_1?as_of=2026-01-01', '%2e%2e', 'ä\u0000'])(
    'reaches nothing else by the identifier %j',
    async (hostile) => {
      const client = await connected();
      const result = await client.callTool({ name: 'get_signal', arguments: { signal_id: hostile } });
      expect(errorOf(result).code).toMatch(/^(NOT_FOUND|INVALID_REQUEST)$/);
    },
  );
});

describe('a wrong key', () => {
  it('is refused with 401, whatever is asked', async () => {
    const key = `${system.apiKey.slice(0, -1)}${system.apiKey.endsWith('a') ? 'b' : 'a'}`;
    await expect(connected('auto', key)).rejects.toMatchObject({ status: 401 });
    await expect(connected('legacy', key)).rejects.toThrow();
  });
});
