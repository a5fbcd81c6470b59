import OpenAI from 'openai';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { sign, signAll, signingKey } from '../src/domain/signature.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

it('the signature is that of the published test vector', () => {
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampS: 1_614_265_330,
    body: '{"test": 2432232314}',
  };
  expect(sign(signingKey(secret), message)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

it('the signature is accepted by published libraries of two makers, and refused for any other body', async () => {
  const timestampS = Math.floor(Date.now() / 1_000);
  const body = JSON.stringify({ event: 'signal.new', text: 'Zürich ✓' });
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(timestampS),
    'webhook-signature': sign(signingKey(secret), { id: 'evt_1', timestampS, body }),
  };
  const webhook = new Webhook(secret);
  expect(webhook.verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => webhook.verify(`${body} `, headers)).toThrow();
  const { webhooks } = new OpenAI({ apiKey: 'none' });
  await webhooks.verifySignature(body, headers, secret);
  await expect(webhooks.verifySignature(`${body} `, headers, secret)).rejects.toThrow();
});

it('a signature by several secrets is accepted with any of them, and with no other', async () => {
  const secrets = ['one', 'two', 'three'].map(
    (text) => `whsec_${Buffer.from(text.repeat(9)).toString('base64')}`,
  );
  const timestampS = Math.floor(Date.now() / 1_000);
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(timestampS),
    'webhook-signature': signAll(secrets.map(signingKey), { id: 'evt_1', timestampS, body: '{}' }),
  };
  const { webhooks } = new OpenAI({ apiKey: 'none' });
  for (const each of secrets) {
    expect(new Webhook(each).verify('{}', headers)).toEqual({});
    await webhooks.verifySignature('{}', headers, each);
  }
  expect(() => new Webhook(secret).verify('{}', headers)).toThrow();
  await expect(webhooks.verifySignature('{}', headers, secret)).rejects.toThrow();
});
