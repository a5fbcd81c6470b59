import { type SignalListItem, type Statistics, signalTypes } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestSystem, testSystem } from './system.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await testSystem();
}, 240_000);
afterAll(() => system?.stop(), 30_000);

type Page = { data: SignalListItem[]; meta: { total: number; next_cursor: string | null } };

/** Creates `count` signals, eight at once; every fifth becomes a winner. @returns their ids. */
async function write(count: number): Promise<string[]> {
  const ids: string[] = [];
  const left = Array.from({ length: count }, (_, n) => n).values();
  const producer = async () => {
    for (const n of left) {
      const id = await system.createSignal(signalTypes[n % signalTypes.length]);
      ids.push(id);
      if (n % 5 > 0) continue;
      const change = { status: 'winner', metrics: { mcap_current: 100_000 + n * 777 } };
      await system.ingest('PATCH', `/${id}`, change);
    }
  };
  await Promise.all(Array.from({ length: 8 }, producer));
  return ids;
}

/** Reads a whole list by its cursors. */
async function readAll(query: string): Promise<SignalListItem[]> {
  const found: SignalListItem[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await system.api(`/v1/signals?${query}${cursor && `&cursor=${cursor}`}`);
    const { data, meta } = body as unknown as Page;
    found.push(...data);
    cursor = meta.next_cursor;
  }
  return found;
}

it('following cursors misses none and repeats none while signals arrive', async () => {
  const stored = new Set(await write(120));
  let writing = true;
  const arriving = (async () => {
    for (let round = 0; round < 10; round++) for (const id of await write(40)) stored.add(id);
    writing = false;
  })();
  let readings = 0;
  for (; writing || readings === 0; readings++) {
    const before = [...stored];
    // With several statuses, the service merges a query for each. A signal that becomes a winner moves between them.
    for (const query of ['limit=7', 'limit=9&status=active,winner']) {
      const ids = (await readAll(query)).map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(before.filter((id) => !ids.includes(id))).toEqual([]);
    }
  }
  await arriving;
  expect((await readAll('limit=100')).map(({ id }) => id).sort()).toEqual([...stored].sort());
}, 60_000);

it('statistics that were away catch up by themselves and are exact', async () => {
  const writing = write(200);
  await system.processes.stats.kill('SIGKILL');
  await writing;
  await write(200);
  await system.processes.stats.start();
  const signals = await readAll('limit=100');
  const roiSum = signals.reduce((sum, { performance }) => sum + Math.round(performance.roi * 100), 0);
  const winners = (of: readonly SignalListItem[]) =>
    of.filter(({ performance }) => performance.status === 'winner').length;
  const byType = signalTypes.map((type) => {
    const own = signals.filter((signal) => signal.type === type);
    return [type, expect.objectContaining({ total: own.length, winners: winners(own) })] as const;
  });
  await eventually(async () => {
    const { body } = await system.api('/v1/stats');
    expect(body.data as Statistics).toMatchObject({
      total_signals: signals.length,
      winners: winners(signals),
      avg_roi: Math.round(roiSum / signals.length) / 100,
      best_roi: Math.max(...signals.map(({ performance }) => performance.roi)),
      by_type: Object.fromEntries<unknown>(byType),
    });
  });
}, 60_000);
