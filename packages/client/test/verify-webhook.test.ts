import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signWebhook, verifyWebhook, verifyWebhookBatch, WebhookVerificationError } from '../src/index.ts';

type Vector = {
  readonly body: string;
  /** In place of `body`, for bytes that are no text. */
  readonly body_base64?: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly secrets: readonly string[];
  /** Unix seconds. */
  readonly now: number;
  readonly tolerance?: number;
};

/**
 * What clients in every language must accept and refuse. `vector` is the test vector that all implementations of Standard
 * Webhooks share. Each case says what differs from it.
 */
const { vector, cases } = JSON.parse(
  readFileSync(new URL('./webhook-vectors.json', import.meta.url), 'utf8'),
) as {
  readonly vector: Vector;
  /** `genuine`, the reason of the refusal, or `mistake` of the calling program. */
  readonly cases: readonly (Partial<Vector> & { readonly name: string; readonly outcome: string })[];
};

const { body, headers, now } = vector;
const [secret = ''] = vector.secrets;
const at = (s: number) => ({ now: () => new Date(s * 1_000) });
const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;

async function reasonOf(verification: Promise<unknown>): Promise<string> {
  const error = await verification.catch((thrown: unknown) => thrown);
  if (error instanceof TypeError) return 'mistake';
  if (!(error instanceof WebhookVerificationError))
    throw new Error('the delivery was not refused', { cause: error });
  return error.reason;
}

describe('verifying a delivery', () => {
  it.each(cases)('$name', async ({ outcome, ...differs }) => {
    const one = { ...vector, ...differs };
    const bytes = Buffer.from(one.body_base64 ?? '', 'base64');
    const sent = one.body_base64 === undefined ? one.body : bytes;
    const options = { ...at(one.now), ...(one.tolerance !== undefined && { toleranceS: one.tolerance }) };
    const verification = verifyWebhook(sent, one.headers, one.secrets, options);
    if (outcome !== 'genuine') expect(await reasonOf(verification)).toBe(outcome);
    else expect(await verification).toEqual(JSON.parse(one.body));
  });

  it('takes the body as text and as bytes', async () => {
    const parsed = { test: 2_432_232_314 };
    expect(await verifyWebhook(Buffer.from(body), headers, secret, at(now))).toEqual(parsed);
    expect(await verifyWebhook(new TextEncoder().encode(body), headers, secret, at(now))).toEqual(parsed);
  });

  it('gives the events of a batch, each with its id', async () => {
    const batch = JSON.stringify([
      { id: 'evt_1', event: 'signal.new' },
      { id: 'evt_2', event: 'signal.dead' },
    ]);
    const signed = await signWebhook(batch, { id: 'bat_1' }, secret);
    expect(await verifyWebhookBatch(batch, signed, secret)).toEqual(JSON.parse(batch));
    expect(await reasonOf(verifyWebhook(batch, signed, secret))).toBe('invalid_body');
    const alone = await signWebhook('{"event":"signal.new"}', { id: 'evt_1' }, secret);
    const events = await verifyWebhookBatch('{"event":"signal.new"}', alone, secret);
    expect(events).toEqual([{ id: 'evt_1', event: 'signal.new' }]);
  });

  it('takes headers as fetch gives them', async () => {
    const form = new Headers(headers as Record<string, string>);
    await expect(verifyWebhook(body, form, secret, at(now))).resolves.toBeDefined();
    form.delete('webhook-id');
    expect(await reasonOf(verifyWebhook(body, form, secret, at(now)))).toBe('missing_header');
  });

  it('accepts and refuses the same signatures as the published library', async () => {
    for (const text of ['{}', JSON.stringify({ text: 'Zürich ✓ 🚀' }), JSON.stringify('x'.repeat(100_000))]) {
      const key = newSecret();
      const sentAt = new Date();
      const signature = new Webhook(key).sign('evt_1', sentAt, text);
      const signed = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
        'webhook-signature': signature,
      };
      expect(await verifyWebhook(text, signed, key)).toEqual(new Webhook(key).verify(text, signed));
      const forged = { ...signed, 'webhook-signature': new Webhook(newSecret()).sign('evt_1', sentAt, text) };
      expect(() => new Webhook(key).verify(text, forged)).toThrow();
      expect(await reasonOf(verifyWebhook(text, forged, key))).toBe('no_matching_signature');
    }
  });

  it('compares with the present time unless another one is given', async () => {
    expect(await reasonOf(verifyWebhook(body, headers, secret))).toBe('timestamp_too_old');
  });

  it('throws a TypeError for a mistake of the receiver, and never repeats a secret', async () => {
    await expect(verifyWebhook(body, headers, 'whsec_hush!', at(now))).rejects.toThrow(/^((?!hush).)*$/);
    const parsed = JSON.parse(body) as string;
    await expect(verifyWebhook(parsed, headers, secret, at(now))).rejects.toThrow(TypeError);
  });
});
