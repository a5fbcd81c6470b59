import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Logger, type MetricsSettings, type Resources, serviceVersion } from '@sigcast/runtime';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { addSpanCounter } from './span-metrics.ts';

/** What a process was built from. */
export type Build = {
  /** The URL of a file in the service's `src`; the version is that of the package.json above. */
  readonly source: string;
  readonly commit: string;
};

/** A registry with what every process measures of itself: memory, event-loop lag, garbage collection, what it was built from. */
export function createMetrics(service: string, build?: Build): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
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

/** A gauge's values: one, or one for each value of its label. What is undefined is not shown. */
export type GaugeValues = number | undefined | Readonly<Record<string, number | undefined>>;

/** A gauge whose values are read when they are asked for. With a label it has several. */
export type GaugeSpec = { readonly name: string; readonly help: string; readonly label?: string };

/** A scrape waits no longer for what a gauge shows, in milliseconds: the rest of the process's metrics are needed most when a store is slow. */
const readTimeoutMs = 1_000;
/** What was read is shown again to others who ask within this time, in milliseconds. */
const readAgainAfterMs = 1_000;

/**
 * Adds gauges whose values are read together, in the order of `specs`, when metrics are asked for. However many ask, one
 * read is under way at a time and none begins within a second of another. While a read fails, or takes more than a second,
 * these gauges show nothing, and it is counted.
 */
export function addGauges(
  registry: Registry,
  specs: readonly GaugeSpec[],
  read: () => Promise<readonly GaugeValues[]>,
): void {
  const [first] = specs;
  const failures = registry.getSingleMetric('sigcast_metrics_read_failures_total');
  let last: { readonly atMs: number; readonly shown: Promise<readonly GaugeValues[]> } | undefined;
  let underWay = false;
  const failed = () => {
    if (failures instanceof Counter) failures.inc({ gauge: first?.name ?? '' });
    return [];
  };
  const look = async () => {
    underWay = true;
    try {
      return await read();
    } finally {
      underWay = false;
    }
  };
  const shown = () => {
    const atMs = performance.now();
    if (last === undefined || atMs - last.atMs > readAgainAfterMs) {
      last = { atMs, shown: underWay ? Promise.resolve(failed()) : inTime(look()).catch(failed) };
    }
    return last.shown;
  };
  for (const [at, { name, help, label }] of specs.entries()) {
    new Gauge({
      ...{ name, help, labelNames: label === undefined ? [] : [label], registers: [registry] },
      async collect() {
        const values = (await shown())[at];
        this.reset();
        if (typeof values === 'number') this.set(values);
        // An unlabelled gauge is 0 after a reset, which would be said of what nobody knows.
        else if (label === undefined) this.remove();
        else {
          for (const [value, count] of Object.entries(values ?? {}))
            if (count !== undefined) this.set({ [label]: value }, count);
        }
      },
    });
  }
}

/** Rejects when `work` takes too long; it goes on, and nobody waits for it. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('took too long')), readTimeoutMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** A metric's child for each combination of labels, found without hashing them anew. Only where there are few. */
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
 * Serves `GET /metrics` (Prometheus' text format) on a port of its own, so that it is reachable for operators and
 * never through the door clients use.
 * @returns the address it listens at; undefined where the settings name no port.
 * @throws when the port is taken.
 */
export async function serveMetrics(
  registry: Registry,
  settings: Pick<MetricsSettings, 'METRICS_HOST' | 'METRICS_PORT'>,
  log: Logger,
  resources: Resources,
): Promise<string | undefined> {
  const { METRICS_HOST: at, METRICS_PORT: listenPort } = settings;
  if (listenPort === undefined) return undefined;
  const server = createServer((req, res) => {
    if (req.url !== '/metrics' || req.method !== 'GET') {
      res.writeHead(404).end();
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
