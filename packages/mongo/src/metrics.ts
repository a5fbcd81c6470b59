import type { Connection, mongo } from 'mongoose';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The pool's name in the metrics: a process has one. */
const pool = { db_client_connection_pool_name: 'mongodb' } as const;
const poolLabels = Object.keys(pool);

/** Servers that take writes, as the driver names them. */
const writable: ReadonlySet<string> = new Set(['Standalone', 'RSPrimary', 'Mongos', 'LoadBalancer']);

/**
 * Measures a connection's pool, by the names of OpenTelemetry's semantic conventions (database client metrics), and counts
 * errors of the store. Call it before the first operation, because it counts connections as they are made.
 */
export function measurePool(connection: Connection, maxPoolSize: number, registry: Registry): void {
  const registers = [registry];
  const client = connection.getClient();
  let connections = 0;
  let used = 0;
  let pending = 0;
  let isWritable = false;
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      labelNames: poolLabels,
      registers,
      collect() {
        this.set(pool, read());
      },
    });
  new Gauge({
    name: 'db_client_connection_count',
    help: 'Connections to the store, by whether an operation has them.',
    labelNames: [...poolLabels, 'db_client_connection_state'],
    registers,
    collect() {
      this.set({ ...pool, db_client_connection_state: 'used' }, used);
      this.set({ ...pool, db_client_connection_state: 'idle' }, Math.max(0, connections - used));
    },
  });
  gauge('db_client_connection_max', 'Connections that the pool may have at each server.', () => maxPoolSize);
  gauge('db_client_connection_pending_requests', 'Operations that wait for a connection.', () => pending);
  const waits = new Histogram({
    name: 'db_client_connection_wait_time_seconds',
    help: 'From asking for a connection to having it.',
    labelNames: poolLabels,
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers,
  }).labels(pool);
  const timeouts = new Counter({
    name: 'db_client_connection_timeouts_total',
    help: 'Operations that waited for a connection in vain.',
    labelNames: poolLabels,
    registers,
  }).labels(pool);
  new Gauge({
    name: 'sigcast_mongodb_connected',
    help: '1 while a server is known that takes writes, 0 while there is none.',
    registers,
    collect() {
      this.set(isWritable ? 1 : 0);
    },
  });
  const errors = new Counter({
    name: 'sigcast_mongodb_errors_total',
    help: 'What went wrong: checks of a server, connections that broke, operations that got no connection.',
    labelNames: ['kind'],
    registers,
  });
  const [checks, broken, refused] = ['heartbeat', 'connection', 'checkout'].map((kind) =>
    errors.labels(kind),
  );
  for (const each of [checks, broken, refused]) each?.inc(0);

  // The connection's own state follows single servers and replica sets, not a sharded cluster's routers.
  client.on('topologyDescriptionChanged', ({ newDescription }: mongo.TopologyDescriptionChangedEvent) => {
    isWritable = [...newDescription.servers.values()].some(({ type }) => writable.has(type));
  });
  client.on('connectionCreated', () => {
    connections += 1;
  });
  client.on('connectionClosed', ({ reason }) => {
    connections -= 1;
    if (reason === 'error') broken?.inc();
  });
  client.on('connectionCheckOutStarted', () => {
    pending += 1;
  });
  client.on('connectionCheckedOut', ({ durationMS }) => {
    pending -= 1;
    used += 1;
    waits.observe(durationMS / 1_000);
  });
  client.on('connectionCheckOutFailed', ({ reason }) => {
    pending -= 1;
    refused?.inc();
    if (reason === 'timeout') timeouts.inc();
  });
  client.on('connectionCheckedIn', () => {
    used -= 1;
  });
  client.on('serverHeartbeatFailed', () => checks?.inc());
}
