import { eventually } from '@sigcast/testing';
import { expect, it, vi } from 'vitest';
import { sendJson } from './market.ts';
import { askEvery, type Followed } from './poller-fixture.ts';
import { token, usePollers } from './use-pollers.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const { fixture, sentTo } = usePollers();
const hourMs = 3_600_000;
const settings = { hasSecond: true, schedule: askEvery(200), refreshSchedule: askEvery(hourMs, 24 * hourMs) };

const holdersOf = ({ id }: Followed) =>
  fixture()
    .sent.filter((each) => each.id === id)
    .flatMap(({ observation }) => observation.metrics?.holders ?? []);

it('holders are asked about once for all signals of a token, and go with one observation of each', async () => {
  const one = await fixture().follow({ token, mcap_entry: 2_000, liquidity_entry: 800 });
  const other = await fixture().follow({
    contract: one.contract,
    mcap_entry: 2_000,
    liquidity_entry: 800,
  });
  fixture().second.tokens.set(one.contract, { ...token, holders: 321 });
  await using _poller = fixture().startPoller(settings);
  await eventually(async () => {
    for (const { id } of [one, other])
      expect((await fixture().trackedOf(id)).refresh_at?.getTime()).toBeGreaterThan(Date.now());
  });
  expect(fixture().second.requests).toEqual([]);
  await fixture().tracked.updateOne({ _id: other.id }, { $set: { refresh_at: new Date(0) } });
  await eventually(() => expect([holdersOf(one), holdersOf(other)]).toEqual([[321], [321]]));
  const times = fixture().sent.filter(({ id }) => id === one.id).length + 1;
  await sentTo([one.id, other.id], times);
  expect([holdersOf(one), holdersOf(other)]).toEqual([[321], [321]]);
  expect(fixture().second.requests).toHaveLength(1);
  expect((await fixture().signal(one.id)).signal.metrics).toMatchObject({
    holders: 321,
    mcap_current: 2_000,
  });
  for (const { id } of [one, other])
    expect((await fixture().trackedOf(id)).refresh_at?.getTime()).toBeGreaterThan(Date.now() + hourMs / 2);
});

it('a token whose holders the source does not know waits for its next time, and keeps no other one back', async () => {
  const due = { token, mcap_entry: 2_000, liquidity_entry: 800, refresh_at: new Date(0) };
  const unknown = await fixture().follow(due);
  const away = await fixture().follow({ ...due, refresh_at: new Date(1) });
  const known = await fixture().follow({ ...due, refresh_at: new Date(2) });
  fixture().second.tokens.set(known.contract, { ...token, holders: 7 });
  fixture().second.fault = (res, contracts) =>
    contracts.includes(away.contract) ? sendJson(res, 200, { data: null }) : undefined;
  await using _poller = fixture().startPoller(settings);
  await eventually(() => expect(holdersOf(known)).toEqual([7]));
  for (const { id } of [unknown, away]) {
    const { refresh_at, holders } = await fixture().trackedOf(id);
    expect([holders, Number(refresh_at) > Date.now() + hourMs / 2]).toEqual([undefined, true]);
  }
});
