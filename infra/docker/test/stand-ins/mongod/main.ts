#!/usr/bin/env node
/**
 * A stand-in for mongod, for tests only. It starts DocumentDB and the wire gateway, and adds what a client of a replica set
 * of one server with authentication expects. It takes the arguments that docker-compose.yml gives to mongod.
 */
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { serveClient } from './client.ts';
import { startDatabase } from './database.ts';
import { Users } from './users.ts';

const { values } = parseArgs({
  options: {
    replSet: { type: 'string' },
    keyFile: { type: 'string' },
    bind_ip_all: { type: 'boolean', default: false },
    dbpath: { type: 'string', default: '/data/db' },
  },
});
const { replSet, keyFile, bind_ip_all: everywhere, dbpath } = values;
if (replSet === undefined || keyFile === undefined) throw new Error('--replSet and --keyFile are expected');
// Like mongod: the key has to exist, and only its user may read it.
if (readFileSync(keyFile, 'utf8').length < 6) throw new Error(`${keyFile} holds no key`);
if ((statSync(keyFile).mode & 0o077) !== 0) throw new Error(`permissions on ${keyFile} are too open`);

const database = await startDatabase(dbpath);
const state = new Users(`${dbpath}/users.json`);
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
  void serveClient(socket, { state, replSet, upstreamPort: database.port });
});
server.listen(27_017, everywhere ? '0.0.0.0' : '127.0.0.1');
await once(server, 'listening');
process.stdout.write('Waiting for connections\n');

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    void database.stop().then(() => process.exit(0));
  });
}
// When the database has ended, the container has to end too, so that it is started again.
void database.ended.then((what) => {
  process.stderr.write(`${what}\n`);
  process.exit(1);
});
