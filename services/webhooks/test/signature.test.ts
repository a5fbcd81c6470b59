import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { sign } from '../src/domain/signature.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('the signature', () => {
  it('is that of the published test vector', () => {
    const message = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampS: 1_614_265_330,
      body: '{"test": 2432232314}',
    };
    expect(sign(secret, message)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('is accepted by the published library, and refused for any other body', () => {
    const timestampS = Math.floor(Date.now() / 1_000);
    const body = JSON.stringify({ event: 'signal.new', text: 'Zürich ✓' });
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(timestampS),
      'webhook-signature': sign(secret, { id: 'evt_1', timestampS, body }),
    };
    const webhook = new Webhook(secret);
    expect(webhook.verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => webhook.verify(`${body} `, headers)).toThrow();
  });
});
