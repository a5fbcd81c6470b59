/** What each setting is for, in one line with its unit. The key `NAME @program` is for a program in which it differs. */
export const descriptions: Readonly<Record<string, string>> = {
  HOST: 'Address to listen at; `0.0.0.0` in a container.',
  PORT: 'TCP port; 0 lets the system choose.',
  'PORT @webhooks-worker':
    'TCP port of `/healthz` and `/readyz`, the only paths it serves; 0 lets the system choose.',
  'PORT @tracker-poller':
    'TCP port of `/healthz` and `/readyz`, the only paths it serves; 0 lets the system choose.',
  LOG_LEVEL: 'The least severe log lines that are written, as JSON on standard output.',
  ACCESS_LOG_SHARE:
    'Share of answers below 400, and of errors of an unknown, refused or limited caller, that get a log line; every other answer does.',
  OTEL_EXPORTER_OTLP_ENDPOINT:
    'Address of an OpenTelemetry collector that takes OTLP over HTTP, such as `http://collector:4318`; without it nothing is traced.',
  OTEL_TRACES_SAMPLER:
    'Which of the traces that begin here are kept; one that began elsewhere is kept if it was kept there.',
  OTEL_TRACES_SAMPLER_ARG: 'Share of the traces that `parentbased_traceidratio` keeps.',
  METRICS_HOST: 'Address that `/metrics` is served at.',
  METRICS_PORT: 'TCP port of `/metrics` for Prometheus; without it there are no metrics.',
  'METRICS_HOST @gateway': 'Address that `/metrics`, `/healthz` and `/readyz` are served at.',
  'METRICS_PORT @gateway':
    'TCP port of `/metrics`, `/healthz` and `/readyz`, which clients must not reach; without it there are neither metrics nor probes.',
  BUILD_COMMIT:
    'Commit that the program was built from, as `sigcast_build_info` shows it; images have it set.',
  SHUTDOWN_DELAY_MS:
    'Milliseconds for which a process that is told to stop goes on serving and is not ready, so that load balancers notice.',
  SHUTDOWN_TIMEOUT_MS: 'Milliseconds after `SHUTDOWN_DELAY_MS` in which it finishes its work in hand.',
  MONGODB_URI: 'Connection string of MongoDB, as its driver takes it; with several hosts for a replica set.',
  MONGODB_CA: 'Certificates of the authorities that MongoDB is verified by, PEM; turns TLS on.',
  MONGODB_DATABASE: "Database with the service's collections; no other service may use it.",
  REDIS_URL:
    'Address of Redis: `redis://host`, `redis-cluster://host,host` or `redis-sentinel://host,host/master`; `rediss…` for TLS.',
  REDIS_CA: 'Certificates of the authorities that Redis is verified by, PEM; for `rediss…` addresses.',
  REDIS_SENTINEL_PASSWORD: 'Password of the Sentinels, which is not that of Redis; only if they have one.',
  REDIS_KEY_PREFIX: 'Put in front of every key, so that several systems can share one Redis.',
  AMQP_URL:
    'Address of RabbitMQ, with user, password and virtual host; several, separated by commas, for a cluster.',
  AMQP_CA: 'Certificates of the authorities that RabbitMQ is verified by, PEM; for `amqps:` addresses.',
  BROKER_NAMESPACE:
    'Put in front of every exchange and queue, so that several systems can share one broker; the same for all services.',
  IDENTITY_PRIVATE_KEY:
    'EC P-256 key that signs service identities and access tokens; only the gateway may have it.',
  GATEWAY_PUBLIC_KEYS:
    'Public keys of the gateways whose identity tokens are accepted, one PEM block after the other.',
  'GATEWAY_PUBLIC_KEYS @gateway':
    "Further public keys: access tokens signed by them are accepted, as those of the gateway's own key are; for rotation.",
  OPERATOR_PUBLIC_KEYS:
    'Public keys whose service tokens (producers, operator commands) are accepted, one PEM block after the other.',
  OPERATOR_PRIVATE_KEY: 'EC P-256 key that signs service tokens; no running service has it.',
  SIGNALS_URL:
    'Address of the signals service, or several, separated by commas. Only scheme, host and port are used.',
  'SIGNALS_URL @stats operator: rebuild, verify': 'Address of the signals service.',
  'SIGNALS_URL @tracker operator: backfill': 'Address of the signals service.',
  'SIGNALS_URL @tracker-poller': 'Address of the signals service.',
  SIGNALS_TOKEN: 'Service token with the scope `signals:read`.',
  'SIGNALS_TOKEN @tracker-poller': 'Service token with the scope `signals:decide`.',
  STATS_URL: 'Address of the stats service, or several, as in `SIGNALS_URL`.',
  WEBHOOKS_URL: 'Address of the webhooks API, or several, as in `SIGNALS_URL`.',
  TRACKER_URL:
    'Address of the tracker, or several, as in `SIGNALS_URL`. Without it, the history of a signal and requests with `as_of` get 503.',
  UPSTREAM_CONNECT_TIMEOUT_MS: 'Milliseconds to connect to a service.',
  UPSTREAM_HEADERS_TIMEOUT_MS: 'Milliseconds until a service begins its answer.',
  UPSTREAM_IDLE_TIMEOUT_MS: "Milliseconds of silence after which a service's answer counts as broken off.",
  TRUST_PROXY:
    "`true` behind exactly one proxy of your own: the client's address is then the last one of `X-Forwarded-For`.",
  PUBLIC_URL:
    'Address at which clients reach the gateway, for `/openapi.json`; with `http:`, browsers are not told to use only TLS.',
  SIGN_UPS_PER_HOUR: 'Accounts that all clients together can make in an hour, over all gateways.',
  REQUIRE_VERIFIED_EMAIL:
    'Whether the webhooks of accounts that sign up from now on wait until `account verify` says that the e-mail address is theirs. Accounts that exist already are not asked.',
  BODY_TIMEOUT_MS: "Milliseconds in which a request's body has to arrive.",
  BODIES_MAX_BYTES:
    'Bytes that all bodies of unanswered requests may take, per process; beyond them, the body that arrives for longest gets 503.',
  PENDING_ANSWERS_MAX_BYTES:
    'Bytes of answers that clients have yet to take, per process; beyond them, the client that is slow for longest is cut.',
  STALLED_CLIENT_TIMEOUT_MS:
    'Milliseconds in which a client has to take 1 kB a second of its answer or stream on average, or is cut.',
  OPEN_REQUESTS_PER_ACCOUNT: 'Requests that an account may have open at once, per process.',
  OPEN_REQUESTS_PER_ADDRESS: 'Requests that may be open at once from one client address, per process.',
  CONNECTIONS_PER_ADDRESS:
    'Connections that one address may have open at once, per process; not counted with `TRUST_PROXY`.',
  DASHBOARD_DIR: "Folder of the dashboard's build; without it there is no dashboard.",
  STREAM_HEARTBEAT_MS:
    'Milliseconds of silence after which a stream sends a comment, to show that it is connected.',
  STREAM_MAX_LIFE_MS: 'Milliseconds after which a stream is closed; its client reconnects and resumes.',
  STREAM_MAX_PER_ADDRESS: 'Streams that may be open at once from one client address, per process.',
  WEBHOOK_ALLOW_HTTP: 'For development: subscriptions may use `http`, and the ports 80 and 8080.',
  WEBHOOK_PORTS:
    'Ports that subscriptions may use besides 443 and 8443, such as `9443` or `9000-9099`, separated by commas.',
  WEBHOOK_OWN_PORTS:
    'For development: ports of Sigcast’s own processes and stores, which no subscription may use in WEBHOOK_ALLOWED_NETWORKS.',
  WEBHOOK_ALLOWED_NETWORKS:
    'For development: networks in CIDR form, separated by commas, that deliveries may reach although they are not public.',
  WEBHOOK_RETRY_DELAYS_MS:
    'Milliseconds before each retry, separated by commas (each varied by ±15 %); their number is the number of retries.',
  MARKET_URL: "Address of the market that is asked, in DexScreener's format.",
  MARKET_REQUESTS_PER_MINUTE: 'Requests to the market in a minute, over all pollers that share a Redis.',
  TRACKER_SCHEDULE:
    'How often signals are asked about: ages and intervals, such as `1h:1m` for each minute in the first hour.',
  TRACKER_RULES:
    'Thresholds of the rules that decide outcomes, as JSON; services/tracker/README.md has the defaults.',
  TRACKER_LEASE_MS: 'Milliseconds that a poller has for the signals it took; then another one takes them.',
  WEBHOOK_MAX_IN_FLIGHT: 'The most attempts under way at once at one subscription, over all workers.',
  WEBHOOK_MAX_IN_FLIGHT_PER_HOST:
    'The most attempts under way at once at one host in one worker, over all accounts; at most 20 of them to addresses that have yet to answer 200.',
  WEBHOOK_MAX_IN_FLIGHT_PER_WORKER:
    'The most attempts under way at once in one worker; bounds its memory, as each takes about 20 kB.',
};

/** The description of a setting in a program. @throws when there is none. */
export function describe(program: string, setting: string): string {
  const text = descriptions[`${setting} @${program}`] ?? descriptions[setting];
  if (text === undefined)
    throw new Error(`${setting} of ${program} has no line in infra/settings/src/descriptions.ts`);
  return text;
}
