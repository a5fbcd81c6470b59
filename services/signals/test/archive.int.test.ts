import type { SignalEvent } from '@sigcast/contracts';
import { afterAll, expect, it } from 'vitest';
import { archiveCollection } from '../src/store/mongo-archive.ts';
import { openArchive, openModel, openStack } from './fixture.ts';

const { stack, resources, close } = openStack();
afterAll(close);

it('the archive is read whole, each event once, oldest first, also where many were relayed in the same millisecond', async () => {
  const model = await openModel(stack, resources);
  const startMs = Date.now() - 60_000;
  // 450 at once, then 1 each millisecond: pages end within and between instants.
  const events = Array.from({ length: 900 }, (_, n) => ({
    _id: `evt_${String(n).padStart(4, '0')}`,
    event: { id: `evt_${n}` } as SignalEvent,
    relayed_at: new Date(startMs + Math.max(0, n - 449)),
  }));
  await model.db.collection<(typeof events)[number]>(archiveCollection).insertMany(events);
  const read: string[] = [];
  for await (const page of openArchive(model).all()) read.push(...page.map(({ id }) => id));
  expect(read).toHaveLength(900);
  expect(new Set(read)).toEqual(new Set(events.map(({ event }) => event.id)));
  expect(read.slice(450)).toEqual(events.slice(450).map(({ event }) => event.id));
});
