import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from '../src/index.ts';

// The vector that all implementations of Standard Webhooks share.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = '{"test": 2432232314}';
const headers = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const at = (offsetS: number) => ({ now: () => new Date((1_614_265_330 + offsetS) * 1_000) });
const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;

async function reasonOf(verification: Promise<unknown>): Promise<string> {
  const error = await verification.catch((thrown: unknown) => thrown);
  if (!(error instanceof WebhookVerificationError)) throw new Error('it was not refused', { cause: error });
  return error.reason;
}

describe('verifying a delivery', () => {
  it('accepts the published vector, as text and as bytes', async () => {
    const parsed = { test: 2_432_232_314 };
    expect(await verifyWebhook(body, headers, secret, at(0))).toEqual(parsed);
    expect(await verifyWebhook(Buffer.from(body), headers, secret, at(0))).toEqual(parsed);
    expect(await verifyWebhook(new TextEncoder().encode(body), headers, secret, at(0))).toEqual(parsed);
  });

  it('accepts headers as fetch and as Node have them, in any case', async () => {
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    for (const form of [new Headers(headers), upper]) {
      await expect(verifyWebhook(body, form, secret, at(0))).resolves.toBeDefined();
    }
  });

  it('accepts what the published library signs, and signs nothing that it refuses', async () => {
    for (const text of ['{}', JSON.stringify({ text: 'Zürich ✓ 🚀' }), JSON.stringify('x'.repeat(100_000))]) {
      const key = newSecret();
      const now = new Date();
      const signature = new Webhook(key).sign('evt_1', now, text);
      const signed = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': signature,
      };
      expect(await verifyWebhook(text, signed, key)).toEqual(new Webhook(key).verify(text, signed));
      const forged = { ...signed, 'webhook-signature': new Webhook(newSecret()).sign('evt_1', now, text) };
      expect(() => new Webhook(key).verify(text, forged)).toThrow();
      expect(await reasonOf(verifyWebhook(text, forged, key))).toBe('no_matching_signature');
    }
  });

  it('accepts any of several signatures by any of several secrets, as during a rotation', async () => {
    const [older, other] = [newSecret(), newSecret()];
    const sign = (key: string) => new Webhook(key).sign(headers['webhook-id'], at(0).now(), body);
    const both = { ...headers, 'webhook-signature': `v2,unknown ${sign(secret)} ${sign(older)}` };
    for (const secrets of [secret, older, [other, older]]) {
      await expect(verifyWebhook(body, both, secrets, at(0))).resolves.toBeDefined();
    }
    expect(await reasonOf(verifyWebhook(body, both, [other], at(0)))).toBe('no_matching_signature');
  });

  it.each([
    ['another body', `${body} `, headers],
    ['another id', body, { ...headers, 'webhook-id': 'msg_other' }],
    ['another time', body, { ...headers, 'webhook-timestamp': '1614265331' }],
    [
      'a signature of another version',
      body,
      { ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1', 'v2') },
    ],
    ['half a signature', body, { ...headers, 'webhook-signature': 'v1,g0hM9SsE+OTPJTGt' }],
    ['an empty signature', body, { ...headers, 'webhook-signature': 'v1,' }],
    ['a signature that is no base64', body, { ...headers, 'webhook-signature': 'v1,%%%' }],
  ])('refuses %s', async (_, text, changed) => {
    expect(await reasonOf(verifyWebhook(text, changed, secret, at(0)))).toBe('no_matching_signature');
  });

  it('refuses what is older or newer than the tolerance, and takes what is just within', async () => {
    for (const offsetS of [-300, 300]) {
      await expect(verifyWebhook(body, headers, secret, at(offsetS))).resolves.toBeDefined();
    }
    expect(await reasonOf(verifyWebhook(body, headers, secret, at(301)))).toBe('timestamp_too_old');
    expect(await reasonOf(verifyWebhook(body, headers, secret, at(-301)))).toBe('timestamp_too_new');
    const strict = { ...at(11), toleranceS: 10 };
    expect(await reasonOf(verifyWebhook(body, headers, secret, strict))).toBe('timestamp_too_old');
    // The present time where none is given.
    expect(await reasonOf(verifyWebhook(body, headers, secret))).toBe('timestamp_too_old');
  });

  it.each(Object.keys(headers))('refuses a delivery without %s', async (name) => {
    const others = Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
    expect(await reasonOf(verifyWebhook(body, others, secret, at(0)))).toBe('missing_header');
    expect(await reasonOf(verifyWebhook(body, new Headers(others), secret, at(0)))).toBe('missing_header');
  });

  it.each(['', ' ', 'soon', '1614265330.5', '-1', '1e9'])('refuses the time %j', async (time) => {
    const changed = { ...headers, 'webhook-timestamp': time };
    expect(await reasonOf(verifyWebhook(body, changed, secret, at(0)))).toMatch(
      /^(missing_header|invalid_timestamp)$/,
    );
  });

  it('refuses a genuine body that is no JSON', async () => {
    const signature = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
      .update(`${headers['webhook-id']}.1614265330.text`)
      .digest('base64');
    const signed = { ...headers, 'webhook-signature': `v1,${signature}` };
    expect(await reasonOf(verifyWebhook('text', signed, secret, at(0)))).toBe('invalid_body');
  });

  it('tells a mistake of the receiver’s own apart, and never repeats a secret', async () => {
    for (const wrong of ['', 'whsec_', 'whsec_not/base64!', []]) {
      await expect(verifyWebhook(body, headers, wrong, at(0))).rejects.toThrow(TypeError);
    }
    await expect(verifyWebhook(body, headers, 'whsec_hush!', at(0))).rejects.toThrow(/^((?!hush).)*$/);
    const parsed = JSON.parse(body) as string;
    await expect(verifyWebhook(parsed, headers, secret, at(0))).rejects.toThrow(TypeError);
  });
});
