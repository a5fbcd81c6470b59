import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger, Resources } from '@sigcast/runtime';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** A registry with what every process measures of itself: memory, event-loop lag, garbage collection. */
export function createMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/**
 * Adds a gauge whose values by `label` are looked up when it is read; while that fails it shows none, and others stay.
 */
export function addGauge(
  registry: Registry,
  { name, help, label }: { readonly name: string; readonly help: string; readonly label: string },
  read: () => Promise<Readonly<Record<string, number | undefined>>>,
): void {
  new Gauge({
    ...{ name, help, labelNames: [label], registers: [registry] },
    async collect() {
      const values = await read().catch(() => ({}));
      this.reset();
      for (const [value, count] of Object.entries(values))
        if (count !== undefined) this.set({ [label]: value }, count);
    },
  });
}

/**
 * Serves `GET /metrics` (Prometheus' text format) on a port of its own, so that it is reachable for operators and
 * never through the door clients use.
 * @returns the address it listens at.
 * @throws when the port is taken.
 */
export async function serveMetrics(
  registry: Registry,
  settings: { readonly host: string; readonly port: number },
  log: Logger,
  resources: Resources,
): Promise<string> {
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
    server.listen({ host: settings.host, port: settings.port }, resolve);
  });
  resources.defer(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  const url = `http://${host}:${port}/metrics`;
  log.info({ url }, 'metrics');
  return url;
}
