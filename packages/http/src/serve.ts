import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger, Resources } from '@sigcast/runtime';
import type { Express } from 'express';

export type ServeSettings = { readonly host: string; readonly port: number };

/** How long requests in hand may take to end once the server stops, in milliseconds. */
const drainTimeoutMs = 5_000;

/**
 * Listens, with limits on slow clients, and registers the server for release: it then takes no new connection,
 * lets requests in hand end, and cuts what is left after 5 s.
 *
 * @returns the address it listens at.
 * @throws when the port is taken.
 */
export async function serve(
  app: Express,
  settings: ServeSettings,
  log: Logger,
  resources: Resources,
): Promise<string> {
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 65_000 },
    app,
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: settings.host, port: settings.port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  resources.defer(() => closeServer(server));
  const { port } = server.address() as AddressInfo;
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  const url = `http://${host}:${port}`;
  log.info({ url }, 'listening');
  return url;
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), drainTimeoutMs);
  await closed;
  clearTimeout(cut);
}
