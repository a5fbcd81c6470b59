import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { mongo } from 'mongoose';
import { decodeMessage, encodeMessage, type MongoReply, messageReader } from './mongo-message.ts';

/** A server with MongoDB's wire protocol and scripted replies, for errors that a real server can't be made to give. */
export type ScriptedMongo = AsyncDisposable & {
  readonly port: number;
  /** All received commands in order, without those by which drivers open, check and end connections. */
  readonly commands: readonly MongoReply[];
  /** Sets the reply to a command. Without `reply`: success, the default. */
  answer(command: string, reply?: MongoReply): void;
  /** Breaks every open connection. New connections are accepted. */
  cut(): void;
};

export type ScriptedMongoOptions = {
  /** Further fields of the reply to `hello`. Default: those of a standalone server. */
  readonly hello?: () => MongoReply;
  /** Listens with TLS. */
  readonly tls?: TlsOptions;
  /** Listens on this Unix socket instead of a port. */
  readonly path?: string;
};

const connectionCommands = new Set(['hello', 'ismaster', 'endSessions', 'ping']);

/** Starts a scripted server on loopback. */
export async function startScriptedMongo(options: ScriptedMongoOptions = {}): Promise<ScriptedMongo> {
  const sockets = new Set<Socket>();
  const commands: MongoReply[] = [];
  const script = new Map<string, MongoReply>();

  const reply = (command: MongoReply): MongoReply => {
    const [name = ''] = Object.keys(command);
    const scripted = script.get(name);
    if (!connectionCommands.has(name)) commands.push(command);
    if (scripted) return scripted;
    if (name === 'hello') return { ...hello, ...options.hello?.(), ok: 1 };
    if (name === 'find' || name === 'aggregate') {
      return { cursor: { id: mongo.Long.ZERO, ns: `${command.$db as string}.c`, firstBatch: [] }, ok: 1 };
    }
    return { n: 1, nModified: 1, value: null, ok: 1 };
  };
  const serve = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    const answer = (message: Buffer) => {
      socket.write(encodeMessage(reply(decodeMessage(message)), { responseTo: message.readInt32LE(4) }));
    };
    socket.on('data', messageReader(answer));
  };

  const server: Server = options.tls ? createTlsServer(options.tls, serve) : createServer(serve);
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (options.path === undefined) server.listen(0, '127.0.0.1', resolve);
    else server.listen(options.path, resolve);
  });
  const address = server.address();
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    commands,
    answer: (command, scripted) => {
      if (scripted) script.set(command, scripted);
      else script.delete(command);
    },
    cut,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}

const hello = {
  isWritablePrimary: true,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: 25,
};
