import { silentLogger } from '@sigcast/runtime';
import { eventually, startScriptedMongo, startTcpProxy } from '@sigcast/testing';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { connectMongo } from '../src/index.ts';

// Each test waits for the driver's real timeouts, with a server of its own, so both run at once.

it.concurrent('metrics show connections in use, operations that wait for one, and a store that is gone', async () => {
  await using scope = new AsyncDisposableStack();
  const server = scope.use(await startScriptedMongo());
  const proxy = scope.use(await startTcpProxy({ host: '127.0.0.1', port: server.port }));
  const registry = new Registry();
  const uri = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
  const connection = await connectMongo({ uri, database: 'pool', registry }, silentLogger(), scope);
  const pool = 'db_client_connection_pool_name="mongodb"';
  const used = `db_client_connection_count{${pool},db_client_connection_state="used"}`;
  const idle = `db_client_connection_count{${pool},db_client_connection_state="idle"}`;
  const pending = `db_client_connection_pending_requests{${pool}}`;
  const now = async (...names: string[]) => {
    const lines = (await registry.metrics()).split('\n');
    return names.map((name) => Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1]));
  };
  expect(await now('sigcast_mongodb_connected', used, pending)).toEqual([1, 0, 0]);

  const waits = `db_client_connection_wait_time_seconds_count{${pool}}`;
  const [before = 0] = await now(waits);
  // New connections take long, so that most operations wait.
  proxy.delay(50);
  const finds = Array.from({ length: 20 }, () => connection.collection('notes').findOne({}));
  await eventually(async () => {
    const [inUse = 0, waiting = 0] = await now(used, pending);
    expect(inUse).toBeGreaterThan(0);
    expect(waiting).toBeGreaterThan(0);
    expect(inUse + waiting).toBeLessThanOrEqual(20);
  });
  await Promise.all(finds);
  expect(await now(used, pending, waits)).toEqual([0, 0, before + 20]);

  proxy.refuse();
  proxy.cut();
  await eventually(async () => expect(await now('sigcast_mongodb_connected', idle)).toEqual([0, 0]));
  const [failedChecks] = await now('sigcast_mongodb_errors_total{kind="heartbeat"}');
  expect(failedChecks).toBeGreaterThan(0);
});

it.concurrent('metrics show that a sharded cluster is gone, and that it is back', async () => {
  await using scope = new AsyncDisposableStack();
  const server = scope.use(await startScriptedMongo({ hello: () => ({ msg: 'isdbgrid' }) }));
  const proxy = scope.use(await startTcpProxy({ host: '127.0.0.1', port: server.port }));
  const registry = new Registry();
  const settings = { uri: `mongodb://127.0.0.1:${proxy.port}/`, database: 'gone', registry };
  await connectMongo(settings, silentLogger(), scope);
  const lines = async () => (await registry.metrics()).split('\n');
  expect(await lines()).toContain('sigcast_mongodb_connected 1');
  proxy.refuse();
  proxy.cut();
  await eventually(async () => expect(await lines()).toContain('sigcast_mongodb_connected 0'));
  proxy.restore();
  await eventually(async () => expect(await lines()).toContain('sigcast_mongodb_connected 1'));
}, 30_000);
