import { eventTopology } from '@sigcast/contracts';
import { addGauges, identityVerifier, runProgram } from '@sigcast/http';
import { connectBroker, queueDepths, queueGauges } from '@sigcast/messaging';
import { connectMongo, mongoFrom, pingMongo, startIndexes } from '@sigcast/mongo';
import { brokerFrom } from '@sigcast/runtime';
import { verifierKey } from '@sigcast/tlog';
import { createApp } from './app.ts';
import { readTrackerConfig } from './config.ts';
import { lingerMs, recordObservations } from './consumers/record-observations.ts';
import { addLogGauges, keepLog } from './keep-log.ts';
import { addDueGauge } from './poller/metrics.ts';
import { trackerIndexes } from './store/indexes.ts';
import { mongoBacktestHistory } from './store/mongo-backtest-history.ts';
import { longestBacktestWait, mongoBacktests, mongoBacktestWork } from './store/mongo-backtests.ts';
import { countDue } from './store/mongo-followed-signals.ts';
import { mongoHistory } from './store/mongo-history.ts';
import { mongoPast } from './store/mongo-past.ts';
import { mongoRevisions } from './store/mongo-revisions.ts';
import { mongoPublicLog, mongoWaitingEntries } from './store/mongo-tlog.ts';
import { startThinning } from './store/thin-observations.ts';
import { addBacktestGauge, workOnBacktests } from './work-on-backtests.ts';

const from = { read: readTrackerConfig, env: process.env, source: import.meta.url };
await runProgram('tracker', from, async ({ config, log, registry, resources, serve }) => {
  const verifyGateway = identityVerifier('gateway', config.GATEWAY_PUBLIC_KEYS, 'tracker');
  const topology = eventTopology(config.BROKER_NAMESPACE);
  const connection = await connectMongo({ ...mongoFrom(config), registry }, log, resources);
  await startIndexes(connection, trackerIndexes, log, resources);
  const { LOG_ORIGIN: origin, LOG_PRIVATE_KEYS: keys, LOG_POLICY: policy, LOG_CHECKPOINT: floor } = config;
  const signers = keys?.map((privateKey) => ({ name: origin ?? '', privateKey }));
  const tlog = origin && signers ? { origin, signers, policy, floor } : undefined;
  const broker = await connectBroker({ ...brokerFrom(config), name: 'tracker', registry }, log, resources);
  const waiting = tlog && mongoWaitingEntries(connection, { lingerMs });
  const notifyLog = tlog && keepLog(connection, tlog, { log, resources });
  await recordObservations(broker, topology.tracker, {
    revisions: mongoRevisions(connection, () => new Date(), lingerMs),
    waiting: waiting && {
      add: async (entry) => {
        await waiting.add(entry);
        notifyLog?.();
      },
    },
  });
  startThinning(connection, { log, resources });
  const backtestHistory = mongoBacktestHistory(connection);
  const notifyBacktest = workOnBacktests(
    { work: mongoBacktestWork(connection), history: backtestHistory },
    { log, resources },
  );
  const backtests = mongoBacktests(connection);
  const app = createApp({
    history: mongoHistory(connection),
    past: mongoPast(connection),
    backtests: {
      ...backtests,
      insert: async (...backtest) => {
        const outcome = await backtests.insert(...backtest);
        notifyBacktest();
        return outcome;
      },
    },
    backtestHistory,
    tlog: tlog && {
      log: mongoPublicLog(connection),
      keys: tlog.signers.map((signer) => verifierKey(signer)).reverse(),
    },
    verifyGateway,
    checks: { mongodb: () => pingMongo(connection), broker: broker.checkCredentials },
    reportedChecks: { broker: broker.checkUsable },
    log,
    accessLogShare: config.ACCESS_LOG_SHARE,
  });
  await serve(app);
  addGauges(registry, queueGauges, () => queueDepths(broker, [topology.tracker]));
  // Here, too, so that due signals are seen where no poller runs.
  addDueGauge(registry, () => countDue(connection));
  if (tlog) addLogGauges(registry, connection);
  addBacktestGauge(registry, () => longestBacktestWait(connection, new Date()));
});
