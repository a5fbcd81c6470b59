import { webhookPayloadSchema } from '@sigcast/contracts';
import { eventually, type ReceivedRequest, type Receiver, startReceiver } from '@sigcast/testing';
import OpenAI from 'openai';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedSystem, type TestSystem } from './system.ts';

let system: TestSystem;
let receiver: Receiver;

beforeAll(async () => {
  system = await sharedSystem();
  receiver = await startReceiver();
}, 240_000);
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await system?.stop();
}, 30_000);

type Data = Record<string, unknown> & { id: string; secret: string };

/** Makes a subscription. @returns requests about the subscription, whose answers must be as documented. */
async function subscribe(path: string) {
  const ask = async (method: string, action: string, status: number, content?: object) => {
    const init = { method, ...(content && { body: JSON.stringify(content) }) };
    const { response, body } = await system.api(`/v1/webhooks${action}`, init);
    expect({ status: response.status, error: body.error }).toMatchObject({ status });
    return body.data as Data;
  };
  const content = { url: `${receiver.url}${path}`, events: ['signal.new'] };
  const { id, secret } = await ask('POST', '', 201, content);
  return {
    secret,
    patch: (changes: object) => ask('PATCH', `/${id}`, 200, changes),
    get: (action = '') => ask('GET', `/${id}${action}`, 200),
    post: (action: string, status: number, more?: object) => ask('POST', `/${id}/${action}`, status, more),
    received: () => receiver.requests.filter((request) => request.path === path),
  };
}

const signalOf = ({ body }: ReceivedRequest) =>
  webhookPayloadSchema.parse(JSON.parse(body.toString())).data.id;

/** Checks a signature with two libraries by different makers. */
async function verify({ headers, body }: ReceivedRequest, secret: string): Promise<void> {
  const text = body.toString();
  new Webhook(secret).verify(text, headers as Record<string, string>);
  const { webhooks } = new OpenAI({ apiKey: 'none' });
  await webhooks.verifySignature(text, headers as Record<string, string>, secret);
}

describe('a subscription’s owner', () => {
  it('rotates the secret: both secrets sign, and two libraries accept both', async () => {
    const hook = await subscribe('/rotated');
    const { secret } = await hook.post('rotate-secret', 200);
    await system.createSignal();
    const request = await eventually(() => {
      const [first] = hook.received();
      if (!first) throw new Error('nothing yet');
      return first;
    });
    expect(String(request.headers['webhook-signature']).split(' ')).toHaveLength(2);
    await verify(request, hook.secret);
    await verify(request, secret);
    await expect(verify(request, `whsec_${Buffer.alloc(32).toString('base64')}`)).rejects.toThrow();
  }, 40_000);

  it('sends a test event, sees its outcome, and sends it again', async () => {
    const hook = await subscribe('/test');
    receiver.script('/test', 500);
    const { id } = await hook.post('test', 201);
    await eventually(async () =>
      expect(await hook.get(`/deliveries/${id}`)).toMatchObject({
        event: 'webhook.test',
        status: 'failed',
        attempt_count: 1,
      }),
    );
    await hook.post(`deliveries/${id}/retry`, 200);
    await eventually(async () =>
      expect(await hook.get(`/deliveries/${id}`)).toMatchObject({
        status: 'delivered',
        attempts: [{ outcome: 'bad_status' }, { outcome: 'succeeded' }],
      }),
    );
    for (const request of hook.received()) await verify(request, hook.secret);
    await hook.post('test', 409);
  }, 40_000);

  it('gets nothing while paused, and after resume and recover gets each missed event once', async () => {
    const hook = await subscribe('/paused');
    const witness = await subscribe('/witness');
    const since = new Date().toISOString();
    const before = await system.createSignal();
    await eventually(() => expect(hook.received().map(signalOf)).toEqual([before]));
    expect(await hook.patch({ status: 'disabled' })).toMatchObject({ disabled_reason: 'paused' });
    const meanwhile = await Promise.all(Array.from({ length: 8 }, () => system.createSignal()));
    await eventually(() =>
      expect(witness.received().map(signalOf)).toEqual(expect.arrayContaining(meanwhile)),
    );
    expect(hook.received()).toHaveLength(1);
    await hook.post('recover', 409, { since });

    await hook.patch({ status: 'enabled' });
    expect(await hook.post('recover', 200, { since })).toMatchObject({ status: 'completed', opened: 8 });
    const after = await system.createSignal();
    const all = [before, ...meanwhile, after].sort();
    await eventually(() => expect(hook.received().map(signalOf).sort()).toEqual(all));
    expect(await hook.get()).toMatchObject({ status: 'enabled', recovery: { opened: 8, retried: 0 } });
    for (const request of hook.received()) await verify(request, hook.secret);
  }, 40_000);
});
