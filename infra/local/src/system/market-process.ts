import { join } from 'node:path';
import type { LiveSources } from './live-sources.ts';
import { marketPorts } from './process-spec.ts';
import type { System } from './system.ts';
import { type WatchedProcess, watchedProcess } from './watched-process.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');

type MarketOptions = {
  readonly dataDir: string;
  readonly system: Pick<System, 'signalsUrl' | 'settingsOf'>;
  readonly ingestToken: string;
  readonly trackerToken: string;
  readonly scannerToken: string;
  /** The addresses of Redis for the users of poller and scanner. */
  readonly redisUrlOf: (user: 'tracker-poller' | 'scanner') => string;
  /** The seed of the simulated market. Without a seed or a state file, no simulated market is started. */
  readonly seed?: number;
  /** Counts the runs of the simulated market. The first run makes signals of the past, and each has a seed of its own. */
  readonly stateFile?: string | undefined;
  /** What poller and scanner ask instead of the simulated market. */
  readonly sources?: LiveSources | undefined;
  /** Further settings for all of them. */
  readonly overrides?: Readonly<Record<string, string>>;
  readonly report: (line: string) => void;
  readonly signal?: AbortSignal;
};

/** The tracker's poller, the scanner, and the simulated market where there is one. */
export type MarketProcesses = {
  readonly market?: WatchedProcess;
  readonly poller: WatchedProcess;
  readonly scanner: WatchedProcess;
  /** What the scanner's operator commands need beside its store. */
  readonly scannerSettings: Readonly<Record<string, string>>;
  /** The addresses of the metrics of poller and scanner. */
  readonly metricsUrls: readonly string[];
  stop(): Promise<void>;
};

/**
 * Starts poller and scanner, and the simulated market where there is one.
 * @throws when a process does not serve in time. All processes are stopped then.
 */
export async function startMarket(options: MarketOptions): Promise<MarketProcesses> {
  const { dataDir, system, ingestToken, seed, stateFile, report, signal, overrides = {} } = options;
  const host = '127.0.0.1';
  const ports = await marketPorts(dataDir, host);
  const watched = (
    name: 'market' | 'tracker-poller' | 'scanner',
    entry: string,
    env: Record<string, string>,
  ) =>
    watchedProcess({
      name,
      report,
      entry: () => join(root, entry),
      env: { ...env, ...overrides },
      logFile: join(dataDir, 'logs', `${name}.log`),
      readyUrl: `http://${host}:${ports[name]}/${name === 'market' ? 'healthz' : 'readyz'}`,
    });
  const simulated = `http://${host}:${ports.market}`;
  const poller = watched('tracker-poller', 'services/tracker/src/main-poller.ts', {
    ...system.settingsOf('tracker'),
    PORT: String(ports['tracker-poller']),
    METRICS_PORT: String(ports['tracker-poller-metrics']),
    REDIS_URL: options.redisUrlOf('tracker-poller'),
    SIGNALS_URL: system.signalsUrl,
    SIGNALS_TOKEN: options.trackerToken,
    MARKET_URL: options.sources?.SCANNER_DEXSCREENER_URL ?? simulated,
    MARKET_GECKOTERMINAL_URL: options.sources
      ? (options.sources.SCANNER_GECKOTERMINAL_URL ?? '')
      : `${simulated}/api/v2`,
    ...limitsOf(options.sources ?? {}),
    MARKET_GECKOTERMINAL_KEY: options.sources?.SCANNER_GECKOTERMINAL_KEY ?? '',
    ...(options.sources === undefined ? simulatedPace : {}),
  });
  const scannerSettings = {
    REDIS_URL: options.redisUrlOf('scanner'),
    ...(options.sources ?? {
      SCANNER_DEXSCREENER_URL: simulated,
      SCANNER_GECKOTERMINAL_URL: `${simulated}/api/v2`,
      SCANNER_CHAINS: 'simulated',
      // Both sources' limits are shared with the poller.
      SCANNER_LISTS_MS: '15000',
    }),
  };
  const stores = system.settingsOf('tracker');
  const scanner = watched('scanner', 'services/scanner/src/main.ts', {
    ...stores,
    MONGODB_DATABASE: (stores.MONGODB_DATABASE ?? '').replace(/tracker$/, 'scanner'),
    PORT: String(ports.scanner),
    METRICS_PORT: String(ports['scanner-metrics']),
    SIGNALS_URL: system.signalsUrl,
    SIGNALS_TOKEN: options.scannerToken,
    ...scannerSettings,
  });
  const metricsUrls = (['tracker-poller', 'scanner'] as const).map(
    (name) => `http://${host}:${ports[`${name}-metrics`]}/metrics`,
  );
  const started: WatchedProcess[] = [];
  const stop = async () => {
    await Promise.all(started.map((each) => each.stop()));
  };
  const start = async (each: WatchedProcess) => {
    started.push(each);
    await each.start(signal);
  };
  try {
    if (seed === undefined && stateFile === undefined) {
      await Promise.all([start(poller), start(scanner)]);
      return { poller, scanner, scannerSettings, metricsUrls, stop };
    }
    const market = watched('market', 'infra/local/src/market/main.ts', {
      HOST: host,
      PORT: String(ports.market),
      SIGNALS_URL: system.signalsUrl,
      INGEST_TOKEN: ingestToken,
      ...(stateFile === undefined ? { MARKET_SEED: String(seed) } : { MARKET_STATE_FILE: stateFile }),
    });
    await Promise.all([start(market), start(poller), start(scanner)]);
    return { market, poller, scanner, scannerSettings, metricsUrls, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Tokens of the simulated market live for five minutes, so the poller asks more often, and rules decide sooner. */
const simulatedPace = {
  TRACKER_SCHEDULE: '10m:10s,1d:10m,30d:1h',
  TRACKER_RULES_FILE: join(root, 'infra/local/src/market/rules.json'),
} as const;

/** The scanner's limits of sources are the poller's, too. */
function limitsOf(settings: Readonly<Record<string, string>>): Record<string, string> {
  const { SCANNER_DEXSCREENER_PER_MINUTE: markets, SCANNER_GECKOTERMINAL_PER_MINUTE: facts } = settings;
  return {
    ...(markets && { MARKET_REQUESTS_PER_MINUTE: markets }),
    ...(facts && { MARKET_GECKOTERMINAL_PER_MINUTE: facts }),
  };
}
