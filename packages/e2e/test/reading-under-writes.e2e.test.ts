import { type SignalListItem, signalTypes } from '@sigcast/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedSystem, type TestSystem } from './system.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await sharedSystem();
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

const since = new Date().toISOString();

/** Reads a whole list by its cursors. */
async function readAll(query: string): Promise<SignalListItem[]> {
  const found: SignalListItem[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await system.api(`/v1/signals?since=${since}&${query}${cursor && `&cursor=${cursor}`}`);
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
    for (let round = 0; round < 5; round++) for (const id of await write(40)) stored.add(id);
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
