import { expect, it } from 'vitest';
import { maxUnprovenPerHost } from '../src/domain/host-limits.ts';
import { failed, limits, schedulerHarness, settled, succeeded } from './scheduler-harness.ts';

type Harness = ReturnType<typeof schedulerHarness>;
const target = 'https://target.example.com/hook';

/** Makes this many subscriptions of one account at one address. */
function crowd(harness: Harness, count: number, { proven = false, account = 'acct_crowd' } = {}): string[] {
  const names = Array.from({ length: count }, (_, n) => `${account}-${n}`);
  for (const name of names) {
    harness.accounts.set(name, account);
    harness.urls.set(name, target);
  }
  if (!proven) harness.unproven.add(target);
  return names;
}

/** Lets time pass, and answers each request with a failure at once. @returns the most requests under way at once. */
async function refusing(harness: Harness, ms: number): Promise<number> {
  let most = 0;
  for (let passed = 0; passed < ms; passed += 500) {
    most = Math.max(most, harness.underWay.length);
    while (harness.underWay.length > 0) {
      harness.underWay[0]?.answer(failed);
      await settled();
      most = Math.max(most, harness.underWay.length);
    }
    await harness.advance(500);
  }
  return most;
}

it('an address that has yet to answer with success gets one request at a time with growing pauses, and everything after its first success', async () => {
  const harness = schedulerHarness();
  crowd(harness, 1);
  await harness.makeDue('acct_crowd-0', 50);
  expect(await refusing(harness, 14_000)).toBe(1);
  // At 0, 1, 3 and 7 seconds.
  expect(harness.sent).toHaveLength(4);
  await harness.advance(1_000);
  expect(harness.underWay).toHaveLength(1);
  harness.underWay[0]?.answer();
  await settled();
  expect(harness.underWay).toHaveLength(limits.maxInFlight);
  while (harness.underWay.length > 0) {
    harness.underWay[0]?.answer();
    await settled();
  }
  await harness.advance(10_000);
  while (harness.underWay.length > 0) {
    harness.underWay[0]?.answer();
    await settled();
  }
  expect(harness.left()).toBe(0);
});

it('an address that has yet to answer with success gets no second request for a new event while the first is under way, and none within a pause', async () => {
  const harness = schedulerHarness();
  crowd(harness, 1);
  await harness.open('first', 'acct_crowd-0');
  await harness.open('second', 'acct_crowd-0');
  expect(harness.sent).toEqual(['acct_crowd-0:first']);
  harness.underWay[0]?.answer(failed);
  await settled();
  await harness.open('third', 'acct_crowd-0');
  await harness.advance(999);
  expect(harness.sent).toHaveLength(1);
  await harness.advance(1);
  expect(harness.sent).toEqual(['acct_crowd-0:first', 'acct_crowd-0:second']);
});

it('an address that has yet to answer with success gets few requests, however many subscriptions of an account point at it and however often all is recovered', async () => {
  const requests = async (proven: boolean) => {
    const harness = schedulerHarness();
    const names = crowd(harness, 20, { proven });
    const most: number[] = [];
    for (let recovery = 0; recovery < 20; recovery += 1) {
      for (const name of names) await harness.makeDue(name, 50);
      most.push(await refusing(harness, 3_000));
    }
    return { sent: harness.sent.length, most: Math.max(...most) };
  };
  expect(await requests(true)).toEqual({ sent: 20_000, most: 2 * limits.maxInFlight });
  // Each subscription's at 0, 1, 3, 7, 15 and 31 seconds of the minute.
  expect(await requests(false)).toEqual({ sent: 20 * 6, most: 1 });
});

it('an address that has yet to answer with success is not held up by another address of the account at the same host that hangs', async () => {
  const harness = schedulerHarness();
  const [hanging = '', other = ''] = crowd(harness, 2);
  harness.urls.set(other, `${target}/other`);
  harness.unproven.add(`${target}/other`);
  await harness.makeDue(hanging, 3);
  await harness.makeDue(other, 3);
  expect(harness.underWay.map(({ subscription }) => subscription)).toEqual([hanging, other]);
});

it('an unproven address that replaces a proven one gets one request at a time, whatever waits', async () => {
  const harness = schedulerHarness();
  await harness.makeDue('one', 20);
  expect(harness.underWay).toHaveLength(limits.maxInFlight);
  harness.urls.set('one', target);
  harness.unproven.add(target);
  while (harness.underWay.length > 1) harness.underWay[0]?.answer();
  harness.underWay[0]?.answer();
  await settled();
  expect(await refusing(harness, 3_000)).toBe(1);
  expect(harness.sent.length - limits.maxInFlight).toBe(2);
});

it('an address that replaces an unproven one is tried without a pause', async () => {
  const harness = schedulerHarness();
  crowd(harness, 1);
  const name = 'acct_crowd-0';
  await harness.makeDue(name, 10);
  await refusing(harness, 20_000);
  expect(harness.underWay).toHaveLength(0);
  const corrected = 'https://corrected.example.com/';
  harness.urls.set(name, corrected);
  harness.unproven.add(corrected);
  harness.lanes.set(name, 0);
  await harness.advance(100);
  expect(harness.underWay).toHaveLength(1);
});

it("an account's requests to one host are bounded, whatever subscriptions it has there, which take turns", async () => {
  const harness = schedulerHarness();
  const names = crowd(harness, 10, { proven: true });
  for (const name of names) await harness.makeDue(name, 5);
  const most = 2 * limits.maxInFlight;
  for (let n = 0; n < 3 * names.length; n += 1) {
    expect(harness.underWay).toHaveLength(most);
    harness.underWay[0]?.answer(succeeded);
    await settled();
  }
  expect(new Set(harness.underWay.map(({ subscription }) => subscription)).size).toBeGreaterThan(1);
  expect(new Set(harness.sent.map((id) => id.split(':')[0])).size).toBe(names.length);
  while (harness.underWay.length > 0) {
    harness.underWay[0]?.answer();
    await settled();
  }
  expect(harness.left()).toBe(0);
});

it("an account's requests to one host free their slots as soon as they are answered, though no outcome is written for long", async () => {
  const harness = schedulerHarness();
  const write = harness.hold('outcome');
  for (const name of crowd(harness, 10, { proven: true })) await harness.makeDue(name, 5);
  const most = 2 * limits.maxInFlight;
  let atOnce = 0;
  while (harness.underWay.length > 0) {
    atOnce = Math.max(atOnce, harness.underWay.length);
    harness.underWay[0]?.answer();
    await settled();
  }
  // What waits to be written is bounded by what a worker attempts at once.
  expect([atOnce, harness.sent.length]).toEqual([most, limits.maxAttempts]);
  write();
  await settled();
  while (harness.underWay.length > 0) {
    atOnce = Math.max(atOnce, harness.underWay.length);
    harness.underWay[0]?.answer();
    await settled();
  }
  expect([atOnce, harness.sent.length, harness.left()]).toEqual([most, 50, 0]);
});

it("an account's requests to one host take nothing from what another account may send there", async () => {
  const harness = schedulerHarness();
  for (const name of crowd(harness, 10, { proven: true })) await harness.makeDue(name, 5);
  const [other = ''] = crowd(harness, 1, { proven: true, account: 'acct_other' });
  await harness.makeDue(other, 5);
  expect(harness.underWay.filter(({ subscription }) => subscription === other)).toHaveLength(
    limits.maxInFlight,
  );
});

it('a host gets few requests at once to addresses that have yet to answer with success, however many accounts point at it, and each gets its turn', async () => {
  const harness = schedulerHarness({ maxAttempts: 1_000 });
  const names = Array.from({ length: 3 * maxUnprovenPerHost }, (_, n) => `acct_${n}`);
  for (const name of names) crowd(harness, 1, { account: name });
  for (const name of names) await harness.makeDue(`${name}-0`, 1);
  expect(harness.underWay).toHaveLength(maxUnprovenPerHost);
  expect(await refusing(harness, 500)).toBe(maxUnprovenPerHost);
  expect(new Set(harness.sent).size).toBe(names.length);
});

it('a host gets a bounded number of requests at once over all accounts, also to proven addresses', async () => {
  const harness = schedulerHarness({ maxPerHost: 5 });
  for (const account of ['acct_1', 'acct_2', 'acct_3']) crowd(harness, 1, { account, proven: true });
  for (const account of ['acct_1', 'acct_2', 'acct_3']) await harness.makeDue(`${account}-0`, 10);
  let most = 0;
  while (harness.underWay.length > 0) {
    most = Math.max(most, harness.underWay.length);
    harness.underWay[0]?.answer();
    await settled();
  }
  expect(most).toBe(5);
  expect(harness.sent).toHaveLength(30);
});
