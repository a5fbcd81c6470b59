import { ByteBudget } from '@sigcast/http';
import { mongoSettings } from '@sigcast/mongo';
import { redisSettings } from '@sigcast/redis';
import {
  brokerSettings,
  ConfigError,
  type Environment,
  reads,
  sealKeys,
  serverSettings,
  settings,
} from '@sigcast/runtime';
import { accessLogSettings, tracingSettings } from '@sigcast/telemetry';
import { z } from 'zod';
import { countedAddress } from './domain/client-address.ts';

/** The most bytes of a request's line and headers. Services accept more, because the gateway adds headers. */
const maxHeadBytes = 16_384;
/** How long a request's line and headers may take to arrive, in milliseconds. `BODY_TIMEOUT_MS` is added for the body. */
const headTimeoutMs = 10_000;

const upstreamAddress = settings.url('http:', 'https:').transform((text) => new URL(text).origin);

/** One URL or several, separated by commas. Of each only scheme, host and port are used. */
const upstreams = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )
  .pipe(z.array(upstreamAddress).min(1, 'must name at least one address'));

const database = mongoSettings('sigcast_gateway');

const store = { ...database, ...redisSettings };

const sealing = {
  GATEWAY_SEAL_KEYS: sealKeys.describe(
    'Keys that seal the seeds of second factors in the store, a line `version:key` for each, the key 32 bytes in base64. The newest seals, all open.',
  ),
};

const readSettings = reads({
  ...serverSettings(8080, {
    METRICS_HOST: 'Address that `/metrics`, `/healthz` and `/readyz` are served at.',
    METRICS_PORT:
      'TCP port of `/metrics`, `/healthz` and `/readyz`, which clients must not reach; without it there are neither metrics nor probes.',
  }),
  // A line for each hundredth request takes some 3 % of what the process carries (`bench gateway`, full load).
  ...accessLogSettings(0.01),
  ...tracingSettings,
  ...store,
  ...sealing,
  ...brokerSettings,
  IDENTITY_PRIVATE_KEY: settings.pem.describe(
    'EC P-256 key that signs service identities and access tokens; only the gateway may have it.',
  ),
  GATEWAY_PUBLIC_KEYS: settings.pem
    .optional()
    .describe(
      "Further public keys: access tokens signed by them are accepted, as those of the gateway's own key are; for rotation.",
    ),
  SIGNALS_URL: upstreams.describe(
    'Address of the signals service, or several, separated by commas. Only scheme, host and port are used.',
  ),
  STATS_URL: upstreams.describe('Address of the stats service, or several, as in `SIGNALS_URL`.'),
  WEBHOOKS_URL: upstreams.describe('Address of the webhooks API, or several, as in `SIGNALS_URL`.'),
  TRACKER_URL: upstreams
    .optional()
    .describe(
      'Address of the tracker, or several, as in `SIGNALS_URL`. Without it, the history of a signal and requests with `as_of` get 503.',
    ),
  SCANNER_URL: upstreams
    .optional()
    .describe(
      'Address of the scanner, or several, as in `SIGNALS_URL`: operators see its sources and what it makes.',
    ),
  UPSTREAM_CONNECT_TIMEOUT_MS: settings
    .integer(1_000, 10, 60_000)
    .describe('Milliseconds to connect to a service.'),
  UPSTREAM_HEADERS_TIMEOUT_MS: settings
    .integer(10_000, 10, 300_000)
    .describe('Milliseconds until a service begins its answer.'),
  UPSTREAM_IDLE_TIMEOUT_MS: settings
    .integer(30_000, 10, 300_000)
    .describe("Milliseconds of silence after which a service's answer counts as broken off."),
  TRUST_PROXY: settings.flag.describe(
    "`true` behind exactly one proxy of your own: the client's address is then the last one of `X-Forwarded-For`.",
  ),
  PUBLIC_URL: settings.baseUrl
    .optional()
    .describe(
      'Address at which clients reach the gateway, for `/openapi.json` and links in mails; with `http:`, browsers are not told to use only TLS.',
    ),
  // Fewer for one network; see `rules.ts`.
  SIGN_UPS_PER_HOUR: settings
    .integer(1_000, 1, 1_000_000)
    .describe('Accounts that all clients together can make in an hour, over all gateways.'),
  REQUIRE_VERIFIED_EMAIL: settings.flag.describe(
    'Whether the webhooks of accounts that sign up from now on wait until `account verify` says that the e-mail address is theirs. Accounts that exist already are not asked.',
  ),
  CONFIRM_SIGN_UPS: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      'Whether signing up takes the e-mail address alone: a mail to it leads on to the choice of a password, and nobody learns whether the address has an account. Without it, `true` where `SMTP_URL` is set.',
    ),
  BODY_TIMEOUT_MS: settings
    .integer(10_000, 10, 60_000)
    .describe("Milliseconds in which a request's body has to arrive."),
  BODIES_MAX_BYTES: settings
    .integer(32_000_000, 1_000_000, 10_000_000_000)
    .describe(
      'Bytes that all bodies of unanswered requests may take, per process; beyond them, the body that arrives for longest gets 503.',
    ),
  PENDING_ANSWERS_MAX_BYTES: settings
    .integer(64_000_000, 1_000_000, 10_000_000_000)
    .describe(
      'Bytes of answers that clients have yet to take, per process; beyond them, the client that is slow for longest is cut.',
    ),
  STALLED_CLIENT_TIMEOUT_MS: settings
    .integer(30_000, 10, 300_000)
    .describe(
      'Milliseconds in which a client has to take 1 kB a second of its answer or stream on average, or is cut.',
    ),
  // Open: admitted, and the answer not yet read completely.
  OPEN_REQUESTS_PER_ACCOUNT: settings
    .integer(100, 1, 100_000)
    .describe('Requests that an account may have open at once, per process.'),
  OPEN_REQUESTS_PER_ADDRESS: settings
    .integer(1_000, 1, 100_000)
    .describe('Requests that may be open at once from one client address, per process.'),
  // Behind a proxy all connections come from its address.
  CONNECTIONS_PER_ADDRESS: settings
    .integer(2_000, 1, 100_000)
    .describe(
      'Connections that one address may have open at once, per process; not counted with `TRUST_PROXY`.',
    ),
  STREAM_MAX_PER_ADDRESS: settings
    .integer(200, 1, 100_000)
    .describe('Streams that may be open at once from one client address, per process.'),
  LEAK_REPORT_KEYS_URL: settings
    .url('https:', 'http:')
    .optional()
    .describe(
      'Address of the public keys that sign reports of leaked keys to `POST /keys/report`: `https://api.github.com/meta/public_keys/secret_scanning` for GitHub’s secret scanning, with which you register. Without it, reports are 404.',
    ),
  REQUEST_LOG: settings.flagOn.describe(
    'Whether accounts see their requests of the last 7 days; each is stored with its client address.',
  ),
  DASHBOARD_DIR: z
    .string()
    .min(1)
    .optional()
    .describe("Folder of the dashboard's build; without it there is no dashboard."),
  SMTP_URL: settings
    .url('smtp:', 'smtps:')
    .optional()
    .describe(
      'SMTP server that mail is sent by, as `smtps://user:password@host:465`, user and password percent-encoded. With `smtp:` and a password, the server has to offer STARTTLS. Needs `PUBLIC_URL`, as `MAIL_DIR` does; without both settings, no mail is sent.',
    ),
  MAIL_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('Folder that mails are written to as `.eml` files instead, for development.'),
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*@[^\r\n]*$/, 'must be an e-mail address, with or without a name')
    .optional()
    .describe('Sender of mails; without it, `Sigcast <no-reply@…>` with the host of `PUBLIC_URL`.'),
});

/** The gateway's settings. */
export const readGatewayConfig = Object.assign((env: Environment) => {
  const config = readSettings(env);
  const sendsMail = config.SMTP_URL !== undefined || config.MAIL_DIR !== undefined;
  const problems = [
    ...(sendsMail && config.PUBLIC_URL === undefined
      ? ['PUBLIC_URL: is required for the links in mails']
      : []),
    ...(config.CONFIRM_SIGN_UPS === 'true' && !sendsMail
      ? ['CONFIRM_SIGN_UPS: needs SMTP_URL or MAIL_DIR']
      : []),
  ];
  if (problems.length > 0) {
    throw new ConfigError(['These settings are wrong:', ...problems].join('\n  '));
  }
  return config;
}, readSettings);

/** Whether signing up takes the address alone, and a mail leads on. */
export function confirmsSignUps(
  config: Pick<ReturnType<typeof readGatewayConfig>, 'CONFIRM_SIGN_UPS' | 'SMTP_URL'>,
): boolean {
  const { CONFIRM_SIGN_UPS: chosen, SMTP_URL } = config;
  return chosen === undefined ? SMTP_URL !== undefined : chosen === 'true';
}

/** Where the database is, for making its indexes. */
export const readDatabaseConfig = reads(database);

/** Where operator commands find accounts and keys. */
export const readStoreConfig = reads(store);

/** The settings of the operator command `secrets`. */
export const readSecretsConfig = reads({ ...store, ...sealing });

/** Where operator commands find log lines. */
export const readLogConfig = reads({
  LOG_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('Folder with the log files of all processes, for `request show`; the local system has one.'),
});

/** Where operator commands find parked messages. */
export const readBrokerConfig = reads(brokerSettings);

/** What operator commands sign service tokens with. */
export const readSigningConfig = reads({
  OPERATOR_PRIVATE_KEY: settings.pem.describe(
    'EC P-256 key that signs service tokens; no running service has it.',
  ),
});

/** The limits of the gateway's server on slow clients and on many connections. */
export function serverLimits(config: ReturnType<typeof readGatewayConfig>) {
  return {
    maxHeadBytes,
    requestTimeoutMs: headTimeoutMs + config.BODY_TIMEOUT_MS,
    // Longer than any wait for an answer, a body or a client, and than the pauses of a stream.
    silenceMs:
      Math.max(
        config.UPSTREAM_HEADERS_TIMEOUT_MS,
        config.UPSTREAM_IDLE_TIMEOUT_MS,
        config.BODY_TIMEOUT_MS,
        config.STALLED_CLIENT_TIMEOUT_MS,
      ) + 5_000,
    ...(!config.TRUST_PROXY && {
      connections: { perAddress: config.CONNECTIONS_PER_ADDRESS, nameOf: countedAddress },
    }),
    bodies: { budget: new ByteBudget(config.BODIES_MAX_BYTES), timeoutMs: config.BODY_TIMEOUT_MS },
  };
}
