/** The wire gateway: serves MongoDB's wire protocol in front of DocumentDB. For development and tests. */
import { createServer, type Socket } from 'node:net';
import { serialize } from 'bson';
import type { Handler } from './command.ts';
import { CommandCounts } from './command-counts.ts';
import { serveConnection } from './connection.ts';
import { Cursors } from './cursors.ts';
import { dataCommands } from './data-commands.ts';
import { CommandShapes, checkingDeclarations } from './declarations.ts';
import { DuplicateKeys } from './duplicate-keys.ts';
import { Engine } from './engine.ts';
import { indexCommands } from './index-commands.ts';
import { serverCommands } from './server-commands.ts';
import { writeCommands } from './write-commands.ts';

const port = Number(process.env.GATEWAY_PORT);
const engine = new Engine({
  port: Number(process.env.POSTGRES_PORT),
  password: process.env.POSTGRES_PASSWORD ?? '',
});

/** Waits until PostgreSQL accepts queries. During a recovery it already answers on its port. */
async function databaseReady(): Promise<void> {
  for (;;) {
    try {
      await engine.call('SELECT documentdb_api.binary_version()', []);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Updates the extensions of data that an older version of DocumentDB has written. */
async function updateExtensions(): Promise<void> {
  const sql = 'SELECT name FROM pg_available_extensions WHERE installed_version <> default_version';
  for (let last: unknown; ; ) {
    const [name] = await engine.call(`${sql} ORDER BY name LIMIT 1`, []);
    if (name === undefined || name === last) return;
    await engine.call(`ALTER EXTENSION "${String(name)}" UPDATE`, []);
    last = name;
  }
}

await databaseReady();
await updateExtensions();
const shapes = new CommandShapes();
const commands = new Map([
  ...serverCommands(),
  ...dataCommands(engine, new Cursors()),
  ...indexCommands(engine),
  ...writeCommands(engine, new DuplicateKeys(engine)),
]);
// Not a command of MongoDB. After a test run it tells the shapes of all commands that strict clients have sent.
const commandShapes: Handler = async () => serialize({ shapes: shapes.list(), ok: 1 });
const handlers = new Map([
  ...new CommandCounts().counting(checkingDeclarations(commands, shapes)),
  ['commandshapes', commandShapes] as const,
]);
const sockets = new Set<Socket>();
let connections = 0;
const server = createServer((socket) => {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
  void serveConnection(socket, ++connections, handlers);
});
server.listen({ port, host: '127.0.0.1' });

process.once('SIGTERM', () => {
  server.close();
  for (const socket of sockets) socket.destroy();
  void engine[Symbol.asyncDispose]().then(() => process.exit(0));
});
