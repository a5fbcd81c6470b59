import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountAudience, identityHeader } from '@sigcast/contracts';
import { identitySigner, identityVerifier } from '@sigcast/http';
import { eventually } from '@sigcast/testing';
import { goodPassword, signedUp } from './account-harness.ts';
import { ask, freshAddress, World } from './harness.ts';

let world: World;
let gateway: string;
let other: string;

beforeAll(async () => {
  world = await World.start();
  [gateway, other] = await Promise.all([world.gateway(), world.gateway()]);
});
afterAll(async () => world[Symbol.asyncDispose]());

async function expectEverywhere(status: number, key: string | undefined): Promise<void> {
  for (const at of [gateway, other]) {
    expect((await ask(at, '/v1/signals', { key: key ?? '' })).status).toBe(status);
  }
}

describe('an account holder, signed in, asking the API', () => {
  it('is the account to the services, and they never see the access token', async () => {
    const holder = await signedUp(gateway);
    const before = world.upstream.requests.length;
    const answer = await ask(gateway, '/v1/signals?limit=3', { key: holder.token ?? '' });
    expect(answer.status).toBe(200);
    const [request] = world.upstream.requests.slice(before);
    const verify = identityVerifier('gateway', world.identityKeys.publicKey);
    expect(verify(String(request?.headers[identityHeader]))).toMatchObject({
      subject: holder.id,
      scopes: [],
    });
    expect(request?.headers.authorization).toBeUndefined();
  });

  it('shares the limits of the account with its keys', async () => {
    const holder = await signedUp(gateway);
    const made = await holder.send('POST', '/account/keys', { name: 'mine' });
    const asked = [made.body.data?.key, holder.token, made.body.data?.key, holder.token];
    const remaining: (string | null)[] = [];
    for (const key of asked) {
      const { headers } = await ask(gateway, '/v1/signals', { key: key ?? '' });
      remaining.push(headers.get('x-ratelimit-remaining'));
    }
    expect(remaining).toEqual(['59', '58', '57', '56']);

    await world.models.plans.updateOne({ _id: 'one' }, { per_minute: 4, per_day: 4 }, { upsert: true });
    await world.models.accounts.updateOne({ _id: holder.id }, { plan: 'one' });
    const over = await ask(gateway, '/v1/signals', { key: holder.token ?? '' });
    expect(over.body.error?.code).toBe('RATE_LIMIT_EXCEEDED');
  });

  it('is refused everywhere from the next request on after signing out', async () => {
    const holder = await signedUp(gateway);
    await expectEverywhere(200, holder.token);
    await holder.send('DELETE', '/account/session');
    await expectEverywhere(401, holder.token);
  });

  it('is refused with the access token of an older password', async () => {
    const holder = await signedUp(gateway);
    const old = holder.token;
    await holder.send('POST', '/account/password', {
      current_password: goodPassword,
      new_password: `another ${goodPassword}`,
    });
    await expectEverywhere(401, old);
    await expectEverywhere(200, holder.token);
  });

  it('is refused from the next request on after the account was suspended, and admitted soon after it was resumed', async () => {
    const holder = await signedUp(gateway);
    await expectEverywhere(200, holder.token);
    await world.models.accounts.updateOne({ _id: holder.id }, { status: 'suspended' });
    await expectEverywhere(403, holder.token);
    await world.models.accounts.updateOne({ _id: holder.id }, { status: 'active' });
    await eventually(() => expectEverywhere(200, holder.token));
  });

  it('goes on without Redis, counted in the process', async () => {
    const alone = await world.gateway({ redisUrl: 'redis://127.0.0.1:1', impatient: true });
    const holder = await signedUp(gateway);
    const answer = await ask(alone, '/v1/signals', { key: holder.token ?? '' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-ratelimit-degraded')).toBe('1');
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('59');
  });
});

describe('a token that is no access token', () => {
  it('is refused and counts against the client address, whoever signed it and for whom', async () => {
    const holder = await signedUp(gateway);
    const sign = (audience?: string) => identitySigner('gateway', world.identityKeys.privateKey, audience);
    const claims = { subject: holder.id, scopes: [], ttlS: 60 };
    const [header, payload] = (holder.token ?? '').split('.');
    const address = freshAddress();
    const tokens = [
      sign()(claims),
      sign(accountAudience)(claims),
      sign(accountAudience)({ ...claims, sessionId: 'ses_00000000000000000000000000' }),
      sign(accountAudience)({ ...claims, ttlS: -60 }),
      `${header}.${payload}.AAAA`,
      'eyJ',
    ];
    const answers = [];
    for (const key of tokens) answers.push(await ask(gateway, '/v1/signals', { key, address }));
    expect(answers.map(({ status }) => status)).toEqual(tokens.map(() => 401));
    expect(answers.at(-1)?.headers.get('x-ratelimit-remaining')).toBe(String(60 - tokens.length));
  });
});
