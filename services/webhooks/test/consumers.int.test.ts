import { identityHeader, systemReadScope } from '@sigcast/contracts';
import { identitySigner, serve } from '@sigcast/http';
import { newId, silentLogger } from '@sigcast/runtime';
import { expectationsOf, type Given, unmet } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, fixture } from './fixture.ts';

const resources = new AsyncDisposableStack();
let f: Fixture;
let baseUrl: string;
beforeAll(async () => {
  f = resources.use(await fixture());
  baseUrl = await serve(f.app, { host: '127.0.0.1', port: 0 }, silentLogger(), resources);
  resources.defer(() => f.streams.stop());
});
afterAll(() => resources.disposeAsync());

/** An account with a subscription; with a delivery, one of it that has failed for good. */
async function given(withDelivery: boolean): Promise<Given> {
  const account = newId('acct');
  const post = async (path: string, body?: object) => {
    const answer = await f.as(account, 'post', path).send(body).expect(201);
    return (answer.body as { data: { id: string } }).data.id;
  };
  const webhook = await post('/v1/webhooks', { url: `${f.receiver.url}/`, events: ['signal.new'] });
  const delivery = withDelivery ? await post(`/v1/webhooks/${webhook}/test`) : undefined;
  if (delivery !== undefined)
    await f.collections.deliveries.updateOne({ _id: delivery }, { $set: { status: 'failed' } });
  const sign = identitySigner('gateway', f.identityKey, 'webhooks');
  const token = sign({ subject: account, scopes: [], ttlS: 60, webhooks: 20 });
  const operator = sign({ subject: account, scopes: [systemReadScope], ttlS: 60 });
  return {
    credentials: {
      account: { [identityHeader]: token },
      operator: { authorization: `Bearer ${operator}` },
    },
    values: {
      webhook_id: webhook,
      ...(delivery !== undefined && { delivery_id: delivery }),
      an_hour_ago: new Date(Date.now() - 3_600_000).toISOString(),
    },
  };
}

it.each(expectationsOf('webhooks'))(
  'the webhooks api keeps what $consumer expects of $asks as $as',
  async (expectation) => {
    const ready = await given(expectation.asks.includes('{delivery_id}'));
    expect(await unmet(baseUrl, expectation, ready)).toEqual([]);
  },
);
