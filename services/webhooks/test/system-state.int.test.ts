import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemReadScope, type WebhooksState, webhooksStateSchema } from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import { newId } from '@sigcast/runtime';
import request from 'supertest';
import { newDelivery } from '../src/store/new-deliveries.ts';
import { type Fixture, fixture } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterAll(() => f[Symbol.asyncDispose]());

function ask(scopes: readonly string[]) {
  const token = identitySigner('gateway', f.identityKey)({ subject: 'acct_op', scopes, ttlS: 60 });
  return request(f.app).get('/internal/v1/state').set('authorization', `Bearer ${token}`);
}

async function state(): Promise<WebhooksState> {
  const answer = await ask([systemReadScope]).expect(200);
  expect(answer.headers['cache-control']).toBe('no-store');
  return webhooksStateSchema.parse((answer.body as { data: unknown }).data);
}

describe('what the webhooks service tells operators of itself', () => {
  it('is what waits, and whose subscriptions fail or were disabled for it: longest first, without path, query or secret', async () => {
    const { subscriptions, deliveries } = f.collections;
    const failingSince = (ago: number) => new Date(Date.now() - ago);
    const url = 'https://hooks.example.test/secret-path?token=secret-query';
    const [fine, shortly, longer, paused, gone, exhausted] = await Promise.all(
      Array.from({ length: 6 }, async () => (await f.subscribe('/')).id),
    );
    const set = (id = '', fields: object = {}) =>
      subscriptions.updateOne(
        { _id: id },
        { $set: { url, due_at: new Date(Date.now() + 3_600_000), ...fields } },
      );
    await set(fine, { failing_since: null });
    await set(shortly, { failing_since: failingSince(1_000) });
    await set(longer, { failing_since: failingSince(60_000) });
    const disabled = (reason: string, at: Date) => ({ status: 'disabled', disabled: { reason, at } });
    await set(paused, disabled('paused', failingSince(0)));
    await set(gone, disabled('gone', failingSince(500)));
    await set(exhausted, disabled('failing', failingSince(5_000)));
    const event = { id: newId('evt'), type: 'signal.new', signalId: newId('sig') } as const;
    await deliveries.insertMany([newDelivery(event, { id: fine ?? '', account: 'acct' }, new Date())]);

    const { deliveries: waiting, failing } = await state();
    expect(waiting).toEqual({ pending: 1, oldest_untaken_s: 0 });
    expect(failing.map(({ id }) => id)).toEqual([longer, shortly, gone, exhausted]);
    expect(failing[0]).toEqual({
      ...{ id: longer, account: expect.any(String), host: 'hooks.example.test' },
      ...{ failing_since: expect.any(String), disabled: null },
    });
    expect(failing[2]).toMatchObject({ failing_since: null, disabled: { reason: 'gone' } });
    const text = JSON.stringify(await state());
    for (const secret of ['secret-path', 'secret-query', 'whsec_']) expect(text).not.toContain(secret);

    await set(fine, { due_at: new Date(Date.now() - 30_000) });
    expect((await state()).deliveries.oldest_untaken_s).toBeGreaterThanOrEqual(30);
  });

  it('is told to no account and to nobody without a token', async () => {
    await ask([]).expect(403);
    await request(f.app).get('/internal/v1/state').expect(401);
    await f.as('acct_1', 'get', '/internal/v1/state').expect(401);
  });
});
