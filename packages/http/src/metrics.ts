import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Logger,
  type Resources,
  type ServerSettings,
  serviceVersion,
  waitAtMost,
} from '@sigcast/runtime';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { addSpanCounter } from './span-metrics.ts';

/** The version and commit that a process was built from. */
type Build = {
  /** The URL of a file in the service's `src`; the version is that of the package.json above. */
  readonly source: string;
  readonly commit: string;
};

/**
 * Between two samples of the event-loop lag, in milliseconds, which are part of each value. The library's 10 ms would take a
 * process that has nothing to do four times the processor's time.
 */
const eventLoopSampleMs = 50;

/** Creates a registry with the metrics of every process: memory, event-loop lag, garbage collection, build, spans. */
export function createMetrics(service: string, build?: Build): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopSampleMs });
  addSpanCounter(registry);
  new Counter({
    name: 'sigcast_metrics_read_failures_total',
    help: 'Scrapes that some gauges were left out of: what they show could not be read within a second.',
    labelNames: ['gauge'],
    registers: [registry],
  });
  if (build !== undefined) {
    const labels = {
      version: serviceVersion(new URL('../package.json', build.source)),
      commit: build.commit,
    };
    new Gauge({
      name: 'sigcast_build_info',
      help: 'Always 1; the labels say what the process was built from.',
      labelNames: Object.keys(labels),
      registers: [registry],
    }).set(labels, 1);
  }
  return registry;
}

/** A gauge's values: one, or one for each value of its label. An undefined value is not shown. */
export type GaugeValues = number | undefined | Readonly<Record<string, number | undefined>>;

/** A gauge whose values are read at each scrape. With a label it has several values. */
type GaugeSpec = { readonly name: string; readonly help: string; readonly label?: string };

/** The longest that a scrape waits for gauges, in milliseconds. While a store is slow, the other metrics must still be shown. */
const readTimeoutMs = 1_000;
/** Scrapes within this time after a read share its values, in milliseconds. */
const sharedForMs = 1_000;

/**
 * Adds gauges whose values one `read` returns, in the order of `specs`, at each scrape. However many scrapes there are, one
 * read is under way at a time, and reads begin at least a second apart. When a read fails or takes more than a second, these
 * gauges show nothing, and `sigcast_metrics_read_failures_total` counts it.
 */
export function addGauges(
  registry: Registry,
  specs: readonly GaugeSpec[],
  read: () => Promise<readonly GaugeValues[]>,
): void {
  const [first] = specs;
  const failures = registry.getSingleMetric('sigcast_metrics_read_failures_total');
  let last: { readonly atMs: number; readonly shown: Promise<readonly GaugeValues[]> } | undefined;
  let reading = false;
  const failed = () => {
    if (failures instanceof Counter) failures.inc({ gauge: first?.name ?? '' });
    return [];
  };
  const readOnce = async () => {
    reading = true;
    try {
      return await read();
    } finally {
      reading = false;
    }
  };
  const readInTime = async () => {
    const values = await waitAtMost(readTimeoutMs, readOnce()).catch(() => undefined);
    return values ?? failed();
  };
  const shown = () => {
    const atMs = performance.now();
    if (last === undefined || atMs - last.atMs > sharedForMs) {
      last = { atMs, shown: reading ? Promise.resolve(failed()) : readInTime() };
    }
    return last.shown;
  };
  for (const [at, { name, help, label }] of specs.entries()) {
    new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [registry],
      async collect() {
        const values = (await shown())[at];
        this.reset();
        if (typeof values === 'number') this.set(values);
        // After a reset an unlabelled gauge shows 0; an unknown value must not be shown.
        else if (label === undefined) this.remove();
        else {
          for (const [value, count] of Object.entries(values ?? {}))
            if (count !== undefined) this.set({ [label]: value }, count);
        }
      },
    });
  }
}

/** Caches a metric's child for each combination of labels: faster than `labels()`. Only for labels with few values. */
export function cachedChildren<Child>(make: (...labels: string[]) => Child): (...labels: string[]) => Child {
  const children = new Map<string, Child>();
  return (...labels) => {
    const name = labels.length === 1 ? (labels[0] ?? '') : labels.join(' ');
    const known = children.get(name);
    if (known !== undefined) return known;
    const child = make(...labels);
    children.set(name, child);
    return child;
  };
}

/**
 * Serves `GET /metrics` (Prometheus' text format) on a separate port, which operators reach and API clients do not. `others`
 * answers all other requests there. Default: 404.
 * @returns the address it listens at; undefined where the settings name no port.
 * @throws when the port is taken.
 */
export async function serveMetrics(
  registry: Registry,
  settings: Pick<ServerSettings, 'METRICS_HOST' | 'METRICS_PORT'> & {
    readonly others?: RequestListener | undefined;
  },
  log: Logger,
  resources: Resources,
): Promise<string | undefined> {
  const { METRICS_HOST: at, METRICS_PORT: listenPort, others = notFound } = settings;
  if (listenPort === undefined) return undefined;
  const server = createServer((req, res) => {
    if (req.url !== '/metrics' || req.method !== 'GET') {
      others(req, res);
      return;
    }
    registry.metrics().then(
      (text) => res.writeHead(200, { 'content-type': registry.contentType }).end(text),
      (err: unknown) => {
        log.error({ err }, 'metrics could not be collected');
        res.writeHead(500).end();
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: at, port: listenPort }, resolve);
  });
  resources.defer(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  const host = at.includes(':') ? `[${at}]` : at;
  const url = `http://${host}:${port}/metrics`;
  log.info({ url }, 'metrics');
  return url;
}

const notFound: RequestListener = (_req, res) => void res.writeHead(404).end();
