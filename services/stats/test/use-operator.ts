import { openAggregates } from '@sigcast/aggregates';
import { signalTypes } from '@sigcast/contracts';
import { testStack } from '@sigcast/testing';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { factOf, type SignalFact } from '../src/domain/fact.ts';
import type { CommandDeps } from '../src/operator/command.ts';
import { runOperator } from '../src/operator/run.ts';
import { signalsApi } from '../src/operator/signals-api.ts';
import { factAggregates } from '../src/store/fact-document.ts';
import { mongoFacts } from '../src/store/mongo-facts.ts';
import { mongoLedger } from '../src/store/mongo-ledger.ts';
import { aggregateStatistics } from '../src/store/mongo-statistics.ts';
import { eventOf, type Revision } from './events.ts';
import { clearFacts, openMongo } from './fixture.ts';
import { readerToken, startSignalsService } from './signals-service.ts';

const hourMs = 3_600_000;
export const nowMs = Date.now();

/** A revision of a signal; without changes it differs from those of other signals. */
export const revision = (signal: number, changes: Partial<Revision> = {}): Revision => ({
  signal,
  type: signalTypes[signal % signalTypes.length] ?? 'new',
  status: signal % 3 === 0 ? 'winner' : 'active',
  roi: signal * 17,
  createdAtMs: nowMs - (signal % 1_000) * hourMs,
  rev: 1 + (signal % 4),
  ...changes,
});
export const factFrom = (made: Revision): SignalFact => factOf(eventOf(made));
export const idOf = (signal: number) => factFrom(revision(signal)).id;

/** What operator commands need: a signals service with signals, and a database with facts. Both are empty before each test. */
export function useOperator() {
  const stack = testStack();
  const resources = new AsyncDisposableStack();
  let connection: Connection;
  let service: Awaited<ReturnType<typeof startSignalsService>>;
  let deps: CommandDeps;
  beforeAll(async () => {
    connection = await openMongo(stack, resources, stack.database('stats'));
    service = await startSignalsService(resources);
  });
  beforeEach(async () => {
    await clearFacts(connection);
    service.signals.length = 0;
    const aggregates = openAggregates(connection, factAggregates);
    deps = {
      facts: mongoFacts(connection, aggregates),
      ledger: mongoLedger(connection),
      store: aggregateStatistics(openAggregates(connection, factAggregates), { fresh: true }),
      source: signalsApi({ url: service.url, token: readerToken }),
      recount: () => openAggregates(connection, factAggregates).rebuild(),
      advance: () => undefined,
    };
  });
  afterAll(async () => {
    await resources.disposeAsync();
    await stack[Symbol.asyncDispose]();
  });
  return {
    connection: () => connection,
    deps: () => deps,
    /** The signals of the signals service. */
    signals: () => service.signals,
    addSignals: (...list: readonly Revision[]) => void service.signals.push(...list),
    record: async (...list: readonly Revision[]) => {
      for (const made of list) await deps.facts.record(factFrom(made));
    },
    factAt: (signal: number) => deps.ledger.find(idOf(signal)),
    /** Runs a command as an operator does. */
    run: async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
      const out: string[] = [];
      const err: string[] = [];
      const settings = {
        MONGODB_URI: stack.mongodbUri,
        MONGODB_DATABASE: connection.name,
        SIGNALS_URL: service.url,
        SIGNALS_TOKEN: readerToken,
        ...env,
      };
      const status = await runOperator(args, settings, {
        out: (line) => out.push(line),
        err: (line) => err.push(line),
        progress: { write: () => undefined },
      });
      return { status, out: out.join('\n'), err: err.join('\n') };
    },
  };
}
