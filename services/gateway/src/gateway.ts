import {
  accountAudience,
  confirmAudience,
  deviceAudience,
  invitationAudience,
  passkeyAudience,
  resetAudience,
  signUpAudience,
  systemReadScope,
  type TokenAudience,
  unsubscribeAudience,
} from '@sigcast/contracts';
import {
  ByteBudget,
  createMetrics,
  type DirectRequests,
  type HealthChecks,
  identitySigner,
  identityVerifier,
  probesApp,
  publicKeyOf,
  runChecks,
} from '@sigcast/http';
import { brokerFrom, type Logger, type Resources } from '@sigcast/runtime';
import { dictionary } from '@zxcvbn-ts/language-common';
import type { Express } from 'express';
import type { Registry } from 'prom-client';
import { createApp } from './app.ts';
import { confirmsSignUps, type readGatewayConfig } from './config.ts';
import { readBuiltDashboard } from './dashboard/built-dashboard.ts';
import { AdmissionController } from './domain/admission.ts';
import { commonPasswordCheck } from './domain/common-passwords.ts';
import { readAccessToken } from './domain/holder.ts';
import { keptFor } from './domain/kept-for.ts';
import { linkTokens } from './domain/link-tokens.ts';
import { LocalCounters } from './domain/local-counters.ts';
import { OpenRequests } from './domain/open-requests.ts';
import { passkeyChallenges } from './domain/passkey-challenges.ts';
import { hashPassword, type PasswordCost, passwordMatches } from './domain/password.ts';
import { PasswordService } from './domain/password-service.ts';
import { standardPlan } from './domain/plan.ts';
import { Throttle } from './domain/throttle.ts';
import { holderTeller } from './mail/holder-teller.ts';
import { openMail } from './mail/open-mail.ts';
import { GatewayMetrics } from './metrics.ts';
import { askService } from './proxy/ask-service.ts';
import { IdentityTokens } from './proxy/identity.ts';
import { leakReportKeys } from './proxy/leak-report-keys.ts';
import { listOwned } from './proxy/list-owned.ts';
import { listSignals } from './proxy/list-signals.ts';
import { OpenStreams } from './proxy/open-streams.ts';
import { openUpstreams } from './proxy/open-upstreams.ts';
import { type NameLookup, systemLookup } from './proxy/origin.ts';
import { publicAnswers } from './proxy/public-answers.ts';
import { publicLog } from './proxy/read-log.ts';
import { readRecord, readRecordedFigures, readRecordedLog } from './proxy/read-record.ts';
import { readTracedSignal } from './proxy/read-traced-signal.ts';
import { watchStreams } from './proxy/stream-watch.ts';
import { openNotices } from './relay/open-notices.ts';
import { openStores, type StoreTimeouts } from './store/open-stores.ts';

/** The length of the rate limit's minute window. Tests pass a shorter one, so that windows end during the test. */
const minuteMs = 60_000;

/** Lifetime of a token with which the gateway asks a service for an operator. The token is used once, immediately. */
const systemTokenTtlS = 30;

/** How old may be what pages without an account show, in milliseconds. */
const publicAgeMs = 60_000;

export type GatewayOptions = {
  readonly config: ReturnType<typeof readGatewayConfig>;
  readonly log: Logger;
  readonly resources: Resources;
  /** Gets the gateway's metrics. Default: a new one. */
  readonly registry?: Registry;
  /** Resolves the names of services. Default: the system’s resolver. */
  readonly lookup?: NameLookup;
  readonly windowMs?: number;
  /** How often what is in memory is written. Default: counts every 5 s, requests every second. Tests pass a shorter time. */
  readonly countsEveryMs?: number;
  readonly clock?: () => number;
  /** The cost of hashing a password. Tests pass a lower one. */
  readonly passwordCost?: PasswordCost;
  /** Timeouts of calls to stores. Default: 50 ms for Redis, a second for MongoDB. */
  readonly storeTimeouts?: StoreTimeouts;
};

export type Gateway = {
  /** What clients reach, beside the API. */
  readonly app: Express;
  /** What answers the requests under /v1. */
  readonly direct: DirectRequests;
  /** `/healthz` and `/readyz`, which clients do not reach: strangers could make the gateway ask its stores and services. */
  readonly probes: Express;
  /** The registry of the gateway's metrics. */
  readonly registry: Registry;
  readonly metrics: GatewayMetrics;
  /** Ends all event streams that go through the gateway. */
  readonly endStreams: () => void;
};

/** Connects to the stores and creates the gateway. @throws when MongoDB does not answer. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, log, resources, windowMs = minuteMs, clock = Date.now } = options;
  const signerFor = (audience: TokenAudience) =>
    identitySigner('gateway', config.IDENTITY_PRIVATE_KEY, audience);
  const tokensFor = (service: TokenAudience) => new IdentityTokens(signerFor(service), clock);
  // While keys rotate, other gateways sign with an older or newer key.
  const publicKeys = publicKeyOf(config.IDENTITY_PRIVATE_KEY) + (config.GATEWAY_PUBLIC_KEYS ?? '');
  const { registry = createMetrics('gateway') } = options;
  const metrics = new GatewayMetrics(registry);
  const verifierOf = (audience: TokenAudience) => identityVerifier('gateway', publicKeys, audience);
  const pairOf = (audience: TokenAudience) => ({ sign: signerFor(audience), read: verifierOf(audience) });
  const verifyAccess = verifierOf(accountAudience);
  const tokens = linkTokens({
    signUp: pairOf(signUpAudience),
    reset: pairOf(resetAudience),
    confirm: pairOf(confirmAudience),
    invitation: pairOf(invitationAudience),
  });
  const stores = await openStores({
    config,
    log,
    resources,
    registry,
    metrics,
    windowMs,
    clock,
    readAccess: (accessToken) => readAccessToken(verifyAccess, accessToken),
    countsEveryMs: options.countsEveryMs,
    timeouts: options.storeTimeouts,
  });
  const {
    accounts,
    keys,
    sessions,
    secondFactors,
    keyRepository,
    propagator,
    counters: shared,
    slots,
    usage,
    requests,
  } = stores;
  const upstreams = openUpstreams(config, options.lookup ?? systemLookup, resources);
  const [signalsTokens, webhooksTokens, trackerTokens] = [
    tokensFor('signals'),
    tokensFor('webhooks'),
    tokensFor('tracker'),
  ];
  const throttle = new Throttle(shared, clock);
  const addMail = openMail(
    {
      config,
      mails: stores.mails,
      settings: stores.mailSettings,
      throttle,
      accounts,
      members: stores.members,
      tokens,
      keys,
      list: listSignals(upstreams.signals, signalsTokens),
      signUnsubscribe: signerFor(unsubscribeAudience),
      metrics,
      registry,
      clock,
      log,
    },
    resources,
  );
  const notices = openNotices(
    {
      notices: stores.notices,
      addMail,
      registry,
      log,
      broker: brokerFrom(config),
      namespace: config.BROKER_NAMESPACE,
    },
    resources,
  );
  metrics.followNotices(notices.waiting);
  const streams = new OpenStreams(slots, {
    perAddress: config.STREAM_MAX_PER_ADDRESS,
  });
  watchStreams({ streams, principals: stores.principals, slots, clock, log }, resources);
  const local = new LocalCounters({ windowMs, clock });
  const reportedChecks: HealthChecks = {
    ...stores.checks,
    broker: notices.checkBroker,
    ...Object.fromEntries(
      Object.values(upstreams).flatMap((upstream) =>
        upstream === undefined ? [] : [[upstream.name, () => upstream.check()] as const],
      ),
    ),
  };
  const propagate = (account: string) => propagator.propagateWithRetries(account);
  const tellHolder = holderTeller({ add: addMail, clock, log });
  const [statsTokens, readLog] = [tokensFor('stats'), publicLog(upstreams.tracker)];
  const publicly = <T>(read: () => Promise<T>) => keptFor(publicAgeMs, clock, read);
  const record = readRecord(
    publicly(() => readRecordedFigures(publicAnswers(upstreams.stats, statsTokens))),
    publicly(() => readRecordedLog(readLog)),
  );
  const readPlan = publicly(() => accounts.findPlan(standardPlan.name));
  const { app, direct } = createApp({
    log,
    accessLogShare: config.ACCESS_LOG_SHARE,
    dashboard: config.DASHBOARD_DIR === undefined ? undefined : readBuiltDashboard(config.DASHBOARD_DIR),
    controller: new AdmissionController({
      shared,
      keyRepository,
      sessions: stores.sessionRepository,
      local,
      clock,
    }),
    identities: {
      signals: signalsTokens,
      stats: statsTokens,
      webhooks: webhooksTokens,
      tracker: trackerTokens,
      scanner: tokensFor('scanner'),
    },
    audit: stores.audit,
    quotasOf: (account) => keyRepository.quotasOf(account),
    upstreams,
    readRecord: record,
    front: {
      readRecord: record,
      readSignal: publicly(
        readTracedSignal(
          publicAnswers(upstreams.signals, signalsTokens),
          upstreams.tracker && publicAnswers(upstreams.tracker, trackerTokens),
        ),
      ),
      readPlan,
    },
    publicLog: { readLog, throttle, trustProxy: config.TRUST_PROXY },
    streams,
    openRequests: new OpenRequests({
      perAccount: config.OPEN_REQUESTS_PER_ACCOUNT,
      perAddress: config.OPEN_REQUESTS_PER_ADDRESS,
    }),
    answerLimits: {
      budget: new ByteBudget(config.PENDING_ANSWERS_MAX_BYTES),
      stalledMs: config.STALLED_CLIENT_TIMEOUT_MS,
    },
    noteUse: (sha256, from) => stores.lastUse.note(sha256, from),
    noteAnswer: (account, status, refused, by) => usage.note(account, status, refused, by),
    noteRequest: requests.note,
    account: {
      accounts,
      readPlan,
      keys,
      sessions,
      members: stores.members,
      audit: stores.audit,
      emailsOf: stores.operatorReads.emailsOf,
      secondFactors,
      passkeys: stores.passkeys,
      challenges: passkeyChallenges(signerFor(passkeyAudience), verifierOf(passkeyAudience)),
      passwords: new PasswordService({
        hash: (password) => hashPassword(password, options.passwordCost),
        matches: passwordMatches,
      }),
      throttle,
      signAccess: signerFor(accountAudience),
      verifyAccess,
      signDevice: signerFor(deviceAudience),
      verifyDevice: verifierOf(deviceAudience),
      propagate,
      usage: {
        read: (account, days, by) => usage.read(account, days, by),
        usedToday: async (account) => {
          const used = await shared.usedToday(account);
          return used === 'unavailable' ? undefined : used;
        },
      },
      requests: requests.reads,
      mail: { settings: stores.mailSettings, add: addMail },
      ownedBy: {
        webhooks: listOwned(upstreams.webhooks, webhooksTokens, '/v1/webhooks'),
        backtests: listOwned(upstreams.tracker, trackerTokens, '/v1/backtests'),
      },
      tokens,
      confirmsSignUps: confirmsSignUps(config),
      isCommonPassword: commonPasswordCheck(dictionary['passwords-common']),
      tellHolder,
      signUpsPerHour: config.SIGN_UPS_PER_HOUR,
      verifiesEmail: config.REQUIRE_VERIFIED_EMAIL,
      clock,
      trustProxy: config.TRUST_PROXY,
      publicUrl: config.PUBLIC_URL,
    },
    operator: {
      accounts,
      keys,
      sessions,
      throttle,
      verifyAccess,
      clock,
      reads: stores.operatorReads,
      log: stores.operatorLog,
      // When this fails, the next sweep of any gateway propagates the change.
      propagateAccount: (id) => propagator.propagate(id).catch(() => undefined),
      askService: (service, path, operator) => {
        const upstream = upstreams[service];
        const token = () =>
          signerFor(service)({ subject: operator, scopes: [systemReadScope], ttlS: systemTokenTtlS });
        return upstream && askService(upstream, path, token());
      },
      checks: () => runChecks(reportedChecks),
    },
    reports: {
      keys,
      audit: stores.audit,
      addMail,
      propagate,
      throttle,
      findReportKey:
        config.LEAK_REPORT_KEYS_URL === undefined ? undefined : leakReportKeys(config.LEAK_REPORT_KEYS_URL),
      clock,
      trustProxy: config.TRUST_PROXY,
    },
    unsubscribe: {
      settings: stores.mailSettings,
      verify: verifierOf(unsubscribeAudience),
    },
    metrics,
    trustProxy: config.TRUST_PROXY,
    publicUrl: config.PUBLIC_URL,
  });
  // One store is enough: without Redis this process counts, without MongoDB cached keys work.
  const checks = { stores: () => Promise.any(Object.values(stores.checks).map((check) => check())) };
  const probes = probesApp({ checks, reportedChecks }, log);
  return { app, direct, probes, registry, metrics, endStreams: () => streams.endAll() };
}
