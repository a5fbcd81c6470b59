import type { HealthChecks } from '@sigcast/http';
import { connectMongo, mongoFrom, pingMongo } from '@sigcast/mongo';
import { checkMasters, connectRedis, redisFrom } from '@sigcast/redis';
import { type Logger, type Resources, sealer } from '@sigcast/runtime';
import type { Registry } from 'prom-client';
import type { readGatewayConfig } from '../config.ts';
import type { AccessClaims } from '../domain/holder.ts';
import { RequestBuffer } from '../domain/request-buffer.ts';
import type { NoteRequest } from '../domain/request-log.ts';
import type { GatewayMetrics } from '../metrics.ts';
import { mongoAccountNotices } from './account-notices.ts';
import { MongoAccounts } from './accounts.ts';
import { MongoApiKeys } from './api-keys.ts';
import { mongoAuditLog } from './audit.ts';
import { MongoKeyRepository } from './key-repository.ts';
import { LastUse } from './last-use.ts';
import { LookUps } from './look-ups.ts';
import { mongoMailSettings } from './mail-settings.ts';
import { mongoMails } from './mails.ts';
import { mongoMembers } from './members.ts';
import { type Models, prepareStore } from './models.ts';
import { openSharedCounters } from './open-shared-counters.ts';
import { mongoOperatorReads } from './operator-accounts.ts';
import { mongoOperatorLog } from './operator-log.ts';
import { mongoPasskeys } from './passkeys.ts';
import { RequestLog, requestsEveryMs } from './request-log.ts';
import { mongoRequestReads } from './request-reads.ts';
import { MongoSecondFactors, requireOpenableSeeds } from './second-factors.ts';
import { MongoSessionRepository } from './session-repository.ts';
import { MongoSessions } from './sessions.ts';
import { mongoStreamPrincipals } from './stream-principals.ts';
import { redisStreamSlots } from './stream-slots.ts';
import { UsageLog } from './usage-log.ts';

/** How often counts in memory are written, in milliseconds. A crash loses the counts of this time at most. */
const usualEveryMs = 5_000;

/** Timeouts of calls to stores, in milliseconds. */
export type StoreTimeouts = { readonly redisMs: number; readonly mongodbMs: number };

export type StoresDeps = {
  readonly config: ReturnType<typeof readGatewayConfig>;
  readonly log: Logger;
  readonly resources: Resources;
  readonly registry: Registry;
  readonly metrics: GatewayMetrics;
  readonly windowMs: number;
  readonly clock: () => number;
  /** What a verified access token says. @throws {SigcastError} UNAUTHORIZED for anything else. */
  readonly readAccess: (accessToken: string) => AccessClaims;
  /** How often what is in memory is written. Default: counts every 5 s, requests every second. */
  readonly countsEveryMs: number | undefined;
  /** Default: 50 ms for Redis, a second for MongoDB. */
  readonly timeouts: StoreTimeouts | undefined;
};

/** Connects to MongoDB and Redis, and opens all that the gateway has there. @throws when MongoDB does not answer. */
export async function openStores(deps: StoresDeps) {
  const { config, log, resources, registry, metrics, windowMs, clock, timeouts } = deps;
  const connection = await connectMongo({ ...mongoFrom(config), registry }, log, resources);
  const models = await prepareStore(connection, log, resources);
  const redis = connectRedis(
    { ...redisFrom(config), ...(timeouts && { timeoutMs: timeouts.redisMs }) },
    log,
    resources,
  );
  const newLookUps = () =>
    new LookUps({
      onFailure: () => metrics.storeFailure('mongodb'),
      ...(timeouts && { timeoutMs: timeouts.mongodbMs }),
    });
  const lookUps = newLookUps();
  const keyRepository = new MongoKeyRepository({ models, clock, lookUps });
  const accounts = new MongoAccounts(models, clock);
  const sessions = new MongoSessions(models, clock);
  const audit = mongoAuditLog(models, clock);
  const seeds = sealer(config.GATEWAY_SEAL_KEYS);
  await requireOpenableSeeds(models, seeds);
  const members = mongoMembers(models, clock);
  const { counters, propagator, ask } = await openSharedCounters({
    redis,
    models,
    windowMs,
    metrics,
    log,
    resources,
  });
  const lastUse = new LastUse(models, clock);
  const usage = new UsageLog(models, clock);
  for (const counts of [lastUse, usage]) counts.run(deps.countsEveryMs ?? usualEveryMs, log, resources);
  const requests = openRequestLog(deps, models);
  const checks: HealthChecks = {
    redis: () => checkMasters(redis),
    mongodb: () => pingMongo(connection),
  };
  return {
    accounts,
    keys: new MongoApiKeys(models, clock),
    keyRepository,
    sessions,
    passkeys: mongoPasskeys(models, clock),
    secondFactors: new MongoSecondFactors(models, seeds, clock),
    sessionRepository: new MongoSessionRepository({
      sessions,
      accounts,
      members,
      limitsOf: (plan) => keyRepository.planOf(plan),
      read: deps.readAccess,
      lookUps,
      clock,
    }),
    counters,
    propagator,
    notices: mongoAccountNotices(models),
    mails: mongoMails(models, clock),
    mailSettings: mongoMailSettings(models, clock),
    members,
    operatorReads: mongoOperatorReads(models, clock),
    operatorLog: mongoOperatorLog(models, audit),
    audit,
    principals: mongoStreamPrincipals(models, newLookUps()),
    slots: redisStreamSlots(redis, ask),
    lastUse,
    usage,
    requests,
    checks,
  };
}

/** The log of requests: where they are noted, if the settings say so, and how it is read. */
function openRequestLog(deps: StoresDeps, models: Models) {
  const { config, log, resources, metrics, clock, countsEveryMs = requestsEveryMs } = deps;
  const reads = mongoRequestReads(models);
  if (!config.REQUEST_LOG) return { reads, note: undefined };
  const buffer = new RequestBuffer(clock, () => metrics.requestDropped());
  metrics.followRequests(() => buffer.size);
  new RequestLog(models, buffer, clock).run(countsEveryMs, log, resources);
  const note: NoteRequest = (...request) => buffer.note(...request);
  return { reads, note };
}
