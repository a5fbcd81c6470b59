import { fileURLToPath } from 'node:url';
import { connectMongo } from '@sigcast/mongo';
import { pause, silentLogger } from '@sigcast/runtime';
import {
  eventually,
  type ServiceProcess,
  spawnService,
  startTcpProxy,
  type TestStack,
  testStack,
} from '@sigcast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EventFeed, FeedEntry, FeedFilter } from '../src/domain/feed.ts';
import { ensureWebhookIndexes } from '../src/store/ensure-indexes.ts';
import { mongoEventFeed } from '../src/store/event-feed.ts';
import { type Models, models } from '../src/store/models.ts';
import { listedEvent } from './fixtures/listed-event.ts';

const writerEntry = fileURLToPath(new URL('./fixtures/event-writer.ts', import.meta.url));
const count = 1_200;
const seed = Math.floor(Math.random() * 1_000);
const kills = 12;
/** A slow writer may have to wait until the others have finished. */
const slowly = { timeoutMs: 90_000, everyMs: 1 };

let stack: TestStack;
let database: string;
let collections: Models;
let feed: EventFeed;
const resources = new AsyncDisposableStack();

beforeAll(async () => {
  stack = testStack();
  database = stack.database('webhooks');
  const connection = await connectMongo({ uri: stack.mongodbUri, database }, silentLogger(), resources);
  await ensureWebhookIndexes(connection, silentLogger(), resources);
  collections = models(connection);
  feed = mongoEventFeed(collections);
});
afterAll(async () => {
  await resources.disposeAsync();
  await stack[Symbol.asyncDispose]();
});

function writer(name: string, uri = stack.mongodbUri): ServiceProcess {
  return spawnService(writerEntry, {}, [uri, database, name, String(count), String(seed + name.length)]);
}

const appended = (process: ServiceProcess) => process.output().split('\n').length - 1;

/** Reads the feed by its cursor until the writers are done and nothing is left. */
async function follow(filter: FeedFilter, limit: number, done: () => boolean): Promise<FeedEntry[]> {
  const seen: FeedEntry[] = [];
  let after = 0;
  for (;;) {
    const wereDone = done();
    const { end } = await feed.bounds();
    const page = await feed.read({ after, end, limit }, filter);
    seen.push(...page.events);
    after = page.upTo;
    if (wereDone && !page.more) return seen;
    await pause(1);
  }
}

/** Reads new events as the tail of the streams does. */
async function followNew(done: () => boolean): Promise<FeedEntry[]> {
  const seen: FeedEntry[] = [];
  for (;;) {
    const wereDone = done();
    const part = await feed.readNew(seen.at(-1)?.sequence ?? 0, 7);
    seen.push(...part.events);
    if (wereDone && part.events.length === 0) return seen;
    await pause(1);
  }
}

it(`several writers leave one order without a gap, and no reader misses or repeats an event, though writers are killed ${kills} times and the network of one stops (seed ${seed})`, async () => {
  const { hostname, port } = new URL(stack.mongodbUri.replace('mongodb:', 'http:'));
  await using proxy = await startTcpProxy({ host: hostname, port: Number(port || 27_017) });
  await using far = writer('far', proxy.through(stack.mongodbUri));
  let farDone = false;
  void far.exited.then(() => {
    farDone = true;
  });
  let finished = false;
  const done = () => finished;
  const readers = Promise.all([
    follow({}, 1 + (seed % 50), done),
    follow({ events: ['signal.winner', 'signal.dead'] }, 3, done),
    follow({ types: ['30d'] }, 100, done),
    followNew(done),
  ]);

  const killRepeatedly = async (name: string) => {
    for (let kill = 0; kill < kills / 2; kill += 1) {
      await using victim = writer(name);
      // Anywhere in its work: it keeps on writing while the kill is on its way.
      const enough = (seed * (kill + 3)) % 90;
      await eventually(() => expect(appended(victim)).toBeGreaterThan(enough), slowly);
      await victim.kill('SIGKILL');
    }
    await using last = writer(name);
    expect(await last.exited).toBe(0);
  };
  const hangRepeatedly = async () => {
    for (let pass = 0; pass < 4; pass += 1) {
      const before = appended(far);
      await eventually(() => expect(farDone || appended(far) > before).toBe(true), slowly);
      proxy.hang();
      const { end } = await feed.bounds();
      // Its delayed write arrives after other writers have used its sequence numbers.
      await eventually(async () => {
        const now = (await feed.bounds()).end;
        expect(now >= Math.min(end + 30, count)).toBe(true);
      }, slowly);
      proxy.restore();
    }
  };
  await Promise.all([killRepeatedly('near'), killRepeatedly('other'), hangRepeatedly()]);
  expect(await far.exited).toBe(0);
  finished = true;
  const [all, byEvent, byType, tail] = await readers;

  const stored = await collections.events.find().sort({ seq: 1 }).lean();
  const inOrder = stored.map(({ _id }) => _id);
  expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  expect([...inOrder].sort()).toEqual(Array.from({ length: count }, (_, i) => listedEvent(i).id));
  expect(all.map(({ id }) => id)).toEqual(inOrder);
  expect(tail.map(({ id }) => id)).toEqual(inOrder);
  // The bytes a reader got at once are those that stay.
  expect(all.map(({ body }) => body)).toEqual(stored.map(({ body }) => body));
  const where = (wanted: (document: (typeof stored)[number]) => boolean) =>
    stored.filter(wanted).map(({ _id }) => _id);
  expect(byEvent.map(({ id }) => id)).toEqual(
    where(({ type }) => type === 'signal.winner' || type === 'signal.dead'),
  );
  expect(byType.map(({ id }) => id)).toEqual(where(({ signal_type }) => signal_type === '30d'));
}, 180_000);
