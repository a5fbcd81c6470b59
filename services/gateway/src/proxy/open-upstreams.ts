import type { Resources } from '@sigcast/runtime';
import type { readGatewayConfig } from '../config.ts';
import type { UpstreamName } from '../domain/api-routes.ts';
import type { NameLookup } from './origin.ts';
import { Upstream } from './upstream.ts';

/**
 * The services. Without the tracker, requests that need the history of signals are answered 503; the scanner is asked for its
 * state only.
 */
export type Upstreams = Readonly<
  Record<Exclude<UpstreamName, 'tracker'>, Upstream> & Record<'tracker' | 'scanner', Upstream | undefined>
>;

/** Streams open at once to one address of the webhooks service. The service has its own limit. */
const maxStreams = 10_000;

/** The services that the settings name. Their connections are closed with `resources`. */
export function openUpstreams(
  config: ReturnType<typeof readGatewayConfig>,
  lookup: NameLookup,
  resources: Resources,
): Upstreams {
  const settings = {
    connectMs: config.UPSTREAM_CONNECT_TIMEOUT_MS,
    headersMs: config.UPSTREAM_HEADERS_TIMEOUT_MS,
    idleMs: config.UPSTREAM_IDLE_TIMEOUT_MS,
    lookup,
  };
  const open = (name: Upstream['name'], origins: readonly string[], own: { connections?: number } = {}) =>
    new Upstream({ name, origins, ...settings, ...own }, resources);
  return {
    signals: open('signals', config.SIGNALS_URL),
    stats: open('stats', config.STATS_URL),
    webhooks: open('webhooks', config.WEBHOOKS_URL),
    tracker: config.TRACKER_URL && open('tracker', config.TRACKER_URL),
    scanner: config.SCANNER_URL && open('scanner', config.SCANNER_URL),
    // Separate connections: each open stream holds one, and other requests must not wait for it.
    streams: open('webhooks', config.WEBHOOKS_URL, { connections: maxStreams }),
  };
}
