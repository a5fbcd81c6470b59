import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signWebhook, verifyWebhook } from '../src/index.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('signing a delivery', () => {
  it('gives the signature of the published test vector', async () => {
    const at = new Date(1_614_265_330_000);
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
    expect(await signWebhook('{"test": 2432232314}', { id, at }, secret)).toEqual({
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('gives headers that the published library and this one accept now', async () => {
    const body = JSON.stringify({ event: 'signal.new', data: { id: 'Zürich ✓ 🚀' } });
    const headers = await signWebhook(body, { id: 'evt_1' }, secret);
    expect(new Webhook(secret).verify(body, { ...headers })).toEqual(JSON.parse(body));
    await expect(verifyWebhook(body, headers, secret)).resolves.toEqual(JSON.parse(body));
  });

  it('refuses an invalid secret', async () => {
    await expect(signWebhook('{}', { id: 'evt_1' }, 'whsec_')).rejects.toThrow(TypeError);
  });
});
