import { accountAudience, identityHeader, type TokenAudience, usageSchema } from '@sigcast/contracts';
import { identitySigner, identityVerifier } from '@sigcast/http';
import { dayHookMs, eventually, untilDayLasts } from '@sigcast/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Browser, goodPassword, keyOf, signedUp } from './account-harness.ts';
import { ask, freshAddress } from './ask.ts';
import { World } from './harness.ts';

let world: World;
let gateway: string;
let other: string;

beforeAll(async () => {
  world = await World.start();
  [gateway, other] = await Promise.all([world.gateway(), world.gateway()]);
});
afterAll(async () => world[Symbol.asyncDispose]());
beforeEach(() => untilDayLasts(), dayHookMs);

async function expectEverywhere(status: number, key: string | undefined): Promise<void> {
  for (const at of [gateway, other]) {
    expect((await ask(at, '/v1/signals', { key: key ?? '' })).status).toBe(status);
  }
}

describe('a signed-in account holder who uses the API', () => {
  it('has the identity of the account for services, which never get the access token', async () => {
    const holder = await signedUp(gateway);
    const before = world.upstream.requests.length;
    const answer = await ask(gateway, '/v1/signals?limit=3', { key: holder.token ?? '' });
    expect(answer.status).toBe(200);
    const [request] = world.upstream.requests.slice(before);
    const verify = identityVerifier('gateway', world.identityKeys.publicKey, 'signals');
    expect(verify(String(request?.headers[identityHeader]))).toMatchObject({
      subject: holder.id,
      scopes: [],
    });
    expect(request?.headers.authorization).toBeUndefined();
  });

  it('uses up nothing of the limits of the keys, and keys use up nothing of the limits of the sessions', async () => {
    const holder = await signedUp(gateway);
    const key = await keyOf(holder);
    for (const at of [gateway, other, gateway]) await ask(at, '/v1/signals', { key: holder.token ?? '' });
    const withKey = await ask(gateway, '/v1/signals', { key });
    expect(withKey.headers.get('ratelimit')).toMatch(/^"minute";r=59;t=\d+, "day";r=9999;t=\d+$/);

    await world.models.plans.updateOne({ _id: 'two' }, { per_minute: 2, per_day: 2 }, { upsert: true });
    await world.accounts.setPlan(holder.id, 'two');
    await world.propagator.propagate(holder.id);
    await ask(gateway, '/v1/signals', { key });
    const over = await ask(gateway, '/v1/signals', { key });
    expect(over.body.error?.message).toMatch(/^Over the limit of 2 requests a day; /);
    const signedIn = await ask(gateway, '/v1/signals', { key: holder.token ?? '' });
    expect(signedIn.status).toBe(200);
    expect(signedIn.headers.get('ratelimit')).toMatch(/^"minute";r=116;t=\d+, "day";r=9996;t=\d+$/);
  });

  it('may send 120 requests a minute and 10,000 a day in all sessions together, or as many as a larger plan allows', async () => {
    const holder = await signedUp(gateway);
    const second = new Browser(gateway);
    await second.send('POST', '/account/session', { email: holder.email, password: goodPassword });
    const policyOf = async (token: string | undefined) =>
      (await ask(gateway, '/v1/signals', { key: token ?? '' })).headers.get('ratelimit-policy');
    expect(await policyOf(holder.token)).toBe('"minute";q=120;w=60, "day";q=10000;w=86400');
    const name = `{${holder.id}}:session-windows`;
    await world.redis.hset(name, 'm', 119);
    expect((await ask(other, '/v1/signals', { key: holder.token ?? '' })).status).toBe(200);
    const over = await ask(gateway, '/v1/signals', { key: second.token ?? '' });
    expect(over.status).toBe(429);
    expect(over.body.error?.message).toMatch(/^Over the dashboard’s limit of 120 requests a minute; /);
    expect(Number(over.headers.get('retry-after'))).toBe(over.body.error?.retry_after);

    await world.models.plans.updateOne({ _id: 'big' }, { per_minute: 500, per_day: 5 }, { upsert: true });
    await world.accounts.setPlan(holder.id, 'big');
    await eventually(async () =>
      expect(await policyOf(second.token)).toBe('"minute";q=500;w=60, "day";q=10000;w=86400'),
    );
    await world.redis.hset(name, 'd', 10_000);
    const overTheDay = await ask(gateway, '/v1/signals', { key: holder.token ?? '' });
    expect(overTheDay.body.error?.message).toMatch(/^Over the dashboard’s limit of 10000 requests a day; /);
  });

  it('is not counted in the usage of the keys', async () => {
    const holder = await signedUp(gateway);
    const key = await keyOf(holder);
    for (let at = 0; at < 3; at += 1) await ask(gateway, '/v1/signals', { key: holder.token ?? '' });
    await ask(gateway, '/v1/signals', { key });
    await eventually(async () => {
      const usage = usageSchema.parse((await holder.send('GET', '/account/usage?days=1')).body.data);
      expect(usage.days).toMatchObject([{ requests: 1, refused: 0 }]);
      expect(usage.today).toMatchObject({ used: 1, remaining: 9_999 });
    });
  }, 30_000);

  it('is refused with the access token of an old password', async () => {
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

  it('is admitted without Redis, counted in the process', async () => {
    const alone = await world.gateway({ redisUrl: 'redis://127.0.0.1:1', impatient: true });
    const holder = await signedUp(gateway);
    const answer = await ask(alone, '/v1/signals', { key: holder.token ?? '' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-ratelimit-degraded')).toBe('1');
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('119');
  });
});

describe('a bearer token that is no valid access token', () => {
  it('is refused and counts against the client address, whatever its signature and audience', async () => {
    const holder = await signedUp(gateway);
    const sign = (audience: TokenAudience) =>
      identitySigner('gateway', world.identityKeys.privateKey, audience);
    const claims = { subject: holder.id, scopes: [], ttlS: 60 };
    const [header, payload] = (holder.token ?? '').split('.');
    const address = freshAddress();
    const tokens = [
      sign('signals')(claims),
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
