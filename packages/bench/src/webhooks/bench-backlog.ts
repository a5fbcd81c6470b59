import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@sigcast/testing';
import type { Connection } from 'mongoose';
import { atMost, say } from '../report.ts';
import { commandsPer, describeCommands, total } from '../store-view.ts';
import { quantile, startRig } from './rig.ts';

const answering = 40;
const hanging = 400;
const defaultPending = 250_000;
/** Deliveries stored in one command. */
const batch = 5_000;
const eventsPerPart = 120;
const everyMs = 500;
/** Until every hanging endpoint is known to hang: five timeouts of 5 s each, two at once. */
const settleMs = 60_000;

/**
 * `bench backlog [DELIVERIES]`: what 400 endpoints that never answer, with DELIVERIES (250,000) waiting for them, cost the
 * others: the time from a write to their first attempts, the store's commands a second, and how soon the delivery of a dead
 * worker is attempted again.
 */
export async function benchBacklog(scope: AsyncDisposableStack, args: readonly string[]): Promise<void> {
  const pending = Number(args[0] ?? defaultPending);
  const rig = await startRig(scope, say);
  const connection = rig.store.database('webhooks');
  const arrivals = new Map<number, number[]>();
  let orphanAt = 0;
  rig.onWebhook = ({ path, signal, attempt, at }, response) => {
    const number = Number(path.slice(1));
    if (number >= answering && number < answering + hanging) return;
    response.writeHead(200).end();
    if (number >= answering + hanging) orphanAt = at;
    else if (attempt === 1) arrivals.get(signal)?.push(at);
  };
  await rig.subscribe(answering);
  let signals = 0;
  const part = async (name: string, count: number) => {
    const sent = new Map<number, number>();
    const before = await rig.store.commands();
    const startedAt = performance.now();
    for (let n = 0; n < count; n += 1) {
      signals += 1;
      const signal = signals;
      arrivals.set(signal, []);
      sent.set(signal, performance.now());
      await rig.write([signal]);
      await delay(Math.max(0, startedAt + (n + 1) * everyMs - performance.now()));
    }
    const after = await rig.store.commands();
    const seconds = (performance.now() - startedAt) / 1_000;
    const commands = commandsPer(before, after, seconds);
    const perSecond = commands && total(commands);
    await eventually(() => {
      for (const signal of sent.keys()) {
        if (arrivals.get(signal)?.length !== answering)
          throw new Error(`signal ${signal} has not arrived everywhere`);
      }
    });
    const ways = [...sent].flatMap(([signal, at]) => (arrivals.get(signal) ?? []).map((there) => there - at));
    const [p50, p99] = [quantile(ways, 0.5), quantile(ways, 0.99)];
    say(`${name}: ${ways.length} first attempts, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`);
    say(`  store commands a second: ${describeCommands(before, after, seconds)}`);
    return { p99, perSecond };
  };
  say('warming up');
  await part('warm-up', eventsPerPart / 3);
  const without = await part('without', eventsPerPart);
  await rig.subscribe(answering + hanging, { events: ['signal.dead'] });
  say(`storing ${pending} deliveries to ${hanging} endpoints that never answer`);
  await storePending(connection, pending);
  await delay(settleMs);
  const left = await connection.collection('deliveries').countDocuments({ status: 'pending' });
  const beside = await part('beside them', eventsPerPart);
  say(`${left} were still pending when that part began`);
  await rig.subscribe(answering + hanging + 1, { events: ['signal.dead'] });
  const orphanedAt = performance.now();
  await storeOrphan(connection);
  await eventually(
    () => {
      if (orphanAt === 0) throw new Error('the orphan has not arrived');
    },
    { timeoutMs: 90_000 },
  );
  atMost('p99 beside / without', beside.p99 / without.p99, { bound: 1.3, digits: 2 });
  if (beside.perSecond !== undefined && without.perSecond !== undefined) {
    const ratio = beside.perSecond / without.perSecond;
    atMost('store commands a second, beside / without', ratio, { bound: 1.2, digits: 2 });
  }
  const orphanS = (orphanAt - orphanedAt) / 1_000;
  atMost('a delivery of a dead worker is attempted after, s', orphanS, { bound: 20, digits: 1 });
}

type Subscription = { readonly _id: string; readonly account: string };

async function newestSubscriptions(connection: Connection, count: number): Promise<Subscription[]> {
  const found = await connection
    .collection<Subscription>('subscriptions')
    .find({}, { projection: { account: 1 } })
    .sort({ _id: -1 })
    .limit(count)
    .toArray();
  return found.map(({ _id, account }) => ({ _id, account }));
}

/** Stores deliveries that are due, to the newest subscriptions, and their events. */
async function storePending(connection: Connection, count: number): Promise<void> {
  const subscriptions = await newestSubscriptions(connection, hanging);
  const events = Math.ceil(count / hanging);
  const at = new Date();
  const ids = Array.from({ length: events }, (_, n) => `evt_BACKLOG${String(n).padStart(8, '0')}`);
  await connection.collection<{ _id: string }>('events').insertMany(ids.map((_id) => event(_id, at)));
  const all = ids.flatMap((id) => subscriptions.map((subscription) => delivery(id, subscription, at)));
  for (let from = 0; from < count; from += batch) {
    const some = all.slice(from, Math.min(count, from + batch));
    await connection.collection<{ _id: string }>('deliveries').insertMany(some, { ordered: false });
  }
  await markDue(connection, subscriptions);
}

/** Stores a delivery under the lease of a worker that died a minute ago. */
async function storeOrphan(connection: Connection): Promise<void> {
  const [subscription] = await newestSubscriptions(connection, 1);
  if (!subscription) throw new Error('there is no subscription');
  const at = new Date(Date.now() - 60_000);
  const id = 'evt_ORPHAN';
  await connection.collection<{ _id: string }>('events').insertOne(event(id, at));
  const orphan = {
    ...delivery(id, subscription, at),
    lease: { worker: 'dead/1', token: 'token', started_at: at },
  };
  await connection.collection<{ _id: string }>('deliveries').insertOne(orphan);
  await connection
    .collection<{ _id: string }>('workers')
    .insertOne({ _id: 'dead/1', until: at, seen_at: at } as never);
}

function event(_id: string, at: Date) {
  const body = JSON.stringify({ event: 'signal.dead', data: { type: 'new', token: { name: '0' } } });
  return { _id, type: 'signal.dead', body, occurred_at: at, created_at: at };
}

function delivery(id: string, { _id: subscription, account }: Subscription, at: Date) {
  return {
    _id: `${id}.${subscription}`,
    account,
    subscription,
    event_id: id,
    event: 'signal.dead',
    signal_id: null,
    status: 'pending',
    attempt_count: 0,
    attempts: [],
    next_attempt_at: at,
    lease: null,
    crashes: 0,
    created_at: at,
    updated_at: at,
  };
}

async function markDue(connection: Connection, subscriptions: readonly Subscription[]): Promise<void> {
  for (const { _id } of subscriptions) {
    await connection
      .collection<Subscription>('subscriptions')
      .updateOne({ _id }, { $set: { due_at: new Date(0) } });
  }
}
