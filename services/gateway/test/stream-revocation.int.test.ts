import { type EventSource, openEventSource } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goodPassword, signedUp } from './account-harness.ts';
import { World } from './harness.ts';

let world: World;
let gateways: readonly string[];

beforeAll(async () => {
  world = await World.start();
  world.upstream.answer = (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write('retry: 1000\nid: pos_1\n\n');
  };
  gateways = await Promise.all([world.gateway(), world.gateway()]);
});
afterAll(async () => world[Symbol.asyncDispose]());

/** A stream through each gateway. */
function openAll(bearer: string): Promise<EventSource[]> {
  const headers = { authorization: `Bearer ${bearer}` };
  return Promise.all(gateways.map((gateway) => openEventSource(`${gateway}/v1/stream`, headers)));
}

/** Checks that each stream ends with a complete answer after `change`. stream-watch.test.ts checks how soon. */
async function expectEnded(streams: readonly EventSource[], change: () => Promise<unknown>): Promise<void> {
  await change();
  expect(await Promise.all(streams.map(({ over }) => over))).toEqual(streams.map(() => 'ended'));
}

/** The status that a client gets when it connects again. */
async function statusAgain(bearer: string): Promise<number> {
  const headers = { authorization: `Bearer ${bearer}` };
  await using stream = await openEventSource(`${gateways[0]}/v1/stream`, headers);
  return stream.status;
}

describe('an open stream ends at every gateway', () => {
  it('when its key is revoked, even before that is propagated; connecting again is 401', async () => {
    const { key, sha256, account } = await world.customer();
    const streams = await openAll(key);
    await expectEnded(streams, () => world.keys.revoke(sha256));
    await world.propagator.propagate(account);
    expect(await statusAgain(key)).toBe(401);
  });

  it('when its key expires, and not before', async () => {
    const { key, sha256, account } = await world.customer();
    const streams = await openAll(key);
    const expiresAt = new Date(Date.now() + 1_000);
    await expectEnded(streams, async () => {
      await world.expireKey(sha256, expiresAt);
      await world.propagator.propagate(account);
    });
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime());
    expect(await statusAgain(key)).toBe(401);
  });

  it('when its account is suspended; connecting again is 403', async () => {
    const { key, account } = await world.customer();
    const streams = await openAll(key);
    await expectEnded(streams, () => world.accounts.setStatus(account, 'suspended'));
    await world.propagator.propagate(account);
    expect(await statusAgain(key)).toBe(403);
  });

  it('when its account is deleted', async () => {
    const { key, account } = await world.customer();
    const streams = await openAll(key);
    await expectEnded(streams, () => world.accounts.remove(account));
  });

  it('when the session that opened it ends', async () => {
    const browser = await signedUp(gateways[0] ?? '');
    const streams = await openAll(browser.token ?? '');
    await expectEnded(streams, () => browser.send('DELETE', '/account/session'));
    expect(await statusAgain(browser.token ?? '')).toBe(401);
  });

  it('when the password of the session that opened it is changed', async () => {
    const browser = await signedUp(gateways[0] ?? '');
    const streams = await openAll(browser.token ?? '');
    await expectEnded(streams, () => world.accounts.setPassword(browser.id, 'another hash'));
    expect(await statusAgain(browser.token ?? '')).toBe(401);
  });
});

describe('an open stream goes on', () => {
  it('when another key of its account is revoked, and when another session ends', async () => {
    const { key, account } = await world.customer();
    const other = await world.keys.create({
      account,
      name: 'other',
      environment: 'test',
      expiresAt: null,
    });
    const mine = await signedUp(gateways[0] ?? '');
    const elsewhere = await mine.send('POST', '/account/session', {
      email: mine.email,
      password: goodPassword,
    });
    const token = String(elsewhere.body.data?.access_token);
    const kept = [...(await openAll(key)), ...(await openAll(token))];
    const ended = await openAll(other.text);
    let over = 0;
    for (const stream of kept)
      void stream.over.then(() => {
        over += 1;
      });
    await world.keys.revoke(other.sha256);
    // The check that ended these streams has also checked the others.
    await Promise.all(ended.map((stream) => stream.over));
    expect(over).toBe(0);
    await Promise.all(kept.map((stream) => stream.close()));
  });
});
