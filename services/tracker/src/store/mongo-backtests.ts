import { randomUUID } from 'node:crypto';
import {
  type BacktestParameters,
  type Filter,
  maxBacktests,
  maxUnfinishedBacktests,
} from '@sigcast/contracts';
import { claimDue, isInserted, storeCall } from '@sigcast/mongo';
import type { Connection, mongo } from 'mongoose';
import type { BacktestStore, StoredBacktest } from '../domain/backtest/job.ts';
import type { BacktestWork, LeasedBacktest } from '../domain/backtest/work.ts';
import {
  type BacktestDocument,
  backtestIndexNames,
  backtestsCollection,
  type TradesDocument,
  tradesCollection,
  tradesId,
  tradesInDocument,
} from './backtest-document.ts';

/** How many unfinished backtests the gauge reads, those due first: one that is tried again and again is among them. */
const unfinishedLookedAt = 50;

/** Backtests in MongoDB, as their accounts see them. */
export function mongoBacktests(connection: Connection): BacktestStore {
  const backtests = connection.collection<BacktestDocument>(backtestsCollection);
  const allTrades = connection.collection<TradesDocument>(tradesCollection);
  /** The free slots of unfinished backtests; or why there is none. */
  const roomOf = async (account: string, key: string | undefined) => {
    const kept = await backtests
      .find({ account }, { projection: { slot: 1, idempotency: 1 } })
      .hint(backtestIndexNames.account)
      .toArray();
    if (key !== undefined && kept.some(({ idempotency }) => idempotency?.key === key)) return 'key-used';
    if (kept.length >= maxBacktests) return 'full';
    const taken = new Set(kept.map(({ slot }) => slot));
    const free = Array.from({ length: maxUnfinishedBacktests }, (_, slot) => slot).filter(
      (slot) => !taken.has(slot),
    );
    return free.length === 0 ? 'busy' : free;
  };
  return {
    refusal: (account, key) =>
      storeCall(async () => {
        const room = await roomOf(account, key);
        return typeof room === 'string' ? room : undefined;
      }),

    insert: ({ id, createdAt, ...backtest }, idempotency) =>
      storeCall(async () => {
        const { account, name, parameters, status, done, total } = backtest;
        const room = await roomOf(account, idempotency?.key);
        if (typeof room === 'string') return room;
        for (const slot of room) {
          const document = {
            _id: id,
            account,
            name,
            parameters: { ...parameters, filter: parameters.filter && JSON.stringify(parameters.filter) },
            status,
            done,
            total,
            created_at: createdAt,
            slot,
            due_at: createdAt,
            tries: 0,
            ...(idempotency && { idempotency: { ...idempotency, account } }),
          };
          // Otherwise another request has taken the slot or the key. If it was the key, the next slots are refused, too.
          if (await isInserted(() => backtests.insertOne(document))) return 'stored';
        }
        const isUsed = idempotency && usedKey(account, idempotency.key);
        return isUsed && (await backtests.findOne(isUsed)) ? 'key-used' : 'busy';
      }),

    byIdempotencyKey: (account, key) =>
      storeCall(async () => {
        const found = await backtests.findOne(usedKey(account, key));
        return found?.idempotency && { made: toBacktest(found), idempotency: found.idempotency };
      }),

    releaseKey: (id, key) =>
      storeCall(async () => {
        await backtests.updateOne({ _id: id, 'idempotency.key': key }, { $unset: { idempotency: '' } });
      }),

    find: (account, id) =>
      storeCall(async () => {
        const found = await backtests.findOne({ _id: id, account });
        return found === null ? undefined : toBacktest(found);
      }),

    list: (account, { skip, limit }) =>
      storeCall(async () => {
        const hint = backtestIndexNames.account;
        const [total, found] = await Promise.all([
          backtests.countDocuments({ account }, { hint }),
          backtests
            .find({ account }, { projection: { 'result.histogram': 0, 'result.equity': 0 } })
            .sort({ _id: -1 })
            .skip(skip)
            .limit(limit)
            .hint(hint)
            .toArray(),
        ]);
        return { total, items: found.map(toBacktest) };
      }),

    trades: ({ run = '' }, { skip, limit }) =>
      storeCall(async () => {
        const first = Math.floor(skip / tradesInDocument);
        const last = Math.floor((skip + limit - 1) / tradesInDocument);
        const found = await allTrades
          .find({ _id: { $gte: tradesId(run, first), $lte: tradesId(run, last) } })
          .sort({ _id: 1 })
          .toArray();
        const from = skip - first * tradesInDocument;
        return found.flatMap(({ trades }) => trades).slice(from, from + limit);
      }),

    remove: (account, id) =>
      storeCall(async () => {
        const { run } = (await backtests.findOne({ _id: id, account }, { projection: { run: 1 } })) ?? {};
        // What an idempotency key has made stays as it was made, for requests with that key alone.
        const { matchedCount } = await backtests.updateOne(
          { _id: id, account, idempotency: { $exists: true } },
          {
            $set: { account: deletedOf(account), status: 'queued', done: 0 },
            $unset: {
              slot: '',
              due_at: '',
              lease: '',
              tries: '',
              finished_at: '',
              error: '',
              result: '',
              run: '',
            },
          },
        );
        const isRemoved =
          matchedCount === 1 || (await backtests.deleteOne({ _id: id, account })).deletedCount === 1;
        // Trades that outlive a killed process have no backtest, and end with their time.
        if (run !== undefined) await allTrades.deleteMany({ _id: tradesOf(run) });
        return isRemoved;
      }),
  };
}

/** Backtests in MongoDB, as the processes that work on them see them. */
export function mongoBacktestWork(connection: Connection): BacktestWork {
  const backtests = connection.collection<BacktestDocument>(backtestsCollection);
  const allTrades = connection.collection<TradesDocument>(tradesCollection);
  const update = ({ id, lease }: LeasedBacktest, change: mongo.UpdateFilter<BacktestDocument>) =>
    storeCall(async () => (await backtests.updateOne({ _id: id, lease }, change)).matchedCount === 1);
  return {
    lease: (now, until) =>
      storeCall(async () => {
        const lease = randomUUID();
        const claimed = await claimDue(
          backtests,
          { due: 'due_at', hint: backtestIndexNames.due, now, until },
          { $set: { status: 'running', lease, done: 0 }, $inc: { tries: 1 } },
        );
        if (claimed === undefined) return undefined;
        const { _id: id, tries = 1, created_at: createdAt } = claimed;
        return { id, parameters: parametersOf(claimed), lease, tries, createdAt };
      }),

    progress: (leased, done, until) => update(leased, { $set: { done, due_at: until } }),

    giveBack: (leased, dueAt) =>
      update(leased, {
        $set: { status: 'queued', done: 0, due_at: dueAt },
        $unset: { lease: '' },
        $inc: { tries: -1 },
      }),

    finish: async (leased, { at, ...end }) => {
      const { lease: run, createdAt: created_at } = leased;
      const trades = 'trades' in end ? end.trades : [];
      const documents = Array.from({ length: Math.ceil(trades.length / tradesInDocument) }, (_, n) => ({
        _id: tradesId(run, n),
        created_at,
        trades: trades.slice(n * tradesInDocument, (n + 1) * tradesInDocument),
      }));
      // Before the result, which they belong to.
      if (documents.length > 0) await storeCall(() => allTrades.insertMany(documents));
      const isFinished = await update(leased, {
        $set: {
          finished_at: at,
          ...('result' in end
            ? { status: 'completed' as const, result: end.result, run, done: end.result.signals }
            : { status: 'failed' as const, error: end.error }),
        },
        $unset: { slot: '', due_at: '', lease: '', tries: '' },
      });
      if (!isFinished) await storeCall(() => allTrades.deleteMany({ _id: tradesOf(run) }));
      return isFinished;
    },
  };
}

/** How long the oldest unfinished backtest has waited for its result, in milliseconds; 0 where there is none. */
export async function longestBacktestWait(connection: Connection, now: Date): Promise<number> {
  const backtests = connection.collection<BacktestDocument>(backtestsCollection);
  const unfinished = await storeCall(() =>
    backtests
      .find({ due_at: { $exists: true } }, { projection: { created_at: 1 } })
      .sort({ due_at: 1 })
      .limit(unfinishedLookedAt)
      .hint(backtestIndexNames.due)
      .toArray(),
  );
  return Math.max(0, ...unfinished.map(({ created_at }) => now.getTime() - created_at.getTime()));
}

/** The ids of all trades of a run: `;` is the character after `:`. */
const tradesOf = (run: string) => ({ $gte: `${run}:`, $lt: `${run};` });

const usedKey = (account: string, key: string) => ({
  'idempotency.account': account,
  'idempotency.key': key,
});

/** In place of the account of a backtest that is deleted. No account has such an id. */
const deletedOf = (account: string) => `${account}:deleted`;

function toBacktest(document: BacktestDocument): StoredBacktest {
  const { _id: id, account, name, status, done, total, error, result, run } = document;
  return {
    id,
    account,
    name,
    parameters: parametersOf(document),
    status,
    done,
    total,
    error,
    result,
    run,
    createdAt: document.created_at,
    finishedAt: document.finished_at,
  };
}

function parametersOf({ parameters }: Pick<BacktestDocument, 'parameters'>): BacktestParameters {
  const { filter } = parameters;
  return { ...parameters, filter: filter === null ? null : (JSON.parse(filter) as Filter) };
}
