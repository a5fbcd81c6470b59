import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { decodeMessage, encodeMessage, isMessage, type MongoReply, messageReader } from './mongo-message.ts';

/** A proxy in front of a real store that simulates a full disk. */
export type FullMongo = AsyncDisposable & {
  /** The store's address through the proxy. */
  readonly mongodbUri: string;
  /** Writes refused so far, completely or partly. */
  readonly refused: number;
  /** From now on the disk is full: reads are answered, writes are refused. */
  fill(): void;
  /** From now on the disk has room again. */
  free(): void;
};

/** The field of each write command that holds its statements. */
const statements: Readonly<Record<string, string>> = {
  insert: 'documents',
  update: 'updates',
  delete: 'deletes',
};

/** The error of the development engine for SQLSTATE 53100; MongoDB's has the same code. */
const diskFull = {
  code: 14031,
  errmsg: 'could not extend file "base/5/16384": No space left on device',
};

/**
 * Starts a proxy in front of a single server. While the disk is full, the first half of a command's statements is written and
 * each other statement is refused, as the development engine does. A command with a single statement is refused, and so is
 * findAndModify.
 */
export async function startFullMongo(mongodbUri: string): Promise<FullMongo> {
  const address = new URL(mongodbUri);
  const target = { host: address.hostname, port: Number(address.port || 27_017), noDelay: true };
  const sockets = new Set<Socket>();
  let isFull = false;
  let refused = 0;

  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect(target);
    /** Write errors to add to the store's reply, by the command's id. */
    const partial = new Map<number, readonly MongoReply[]>();
    client.on(
      'data',
      messageReader((message) => {
        const requestId = message.readInt32LE(4);
        const refusal = isFull && isMessage(message) ? refusalOf(message) : undefined;
        if (!refusal) {
          upstream.write(message);
          return;
        }
        refused += 1;
        if ('answer' in refusal) {
          client.write(encodeMessage(refusal.answer, { responseTo: requestId }));
          return;
        }
        partial.set(requestId, refusal.writeErrors);
        upstream.write(encodeMessage(refusal.command, { requestId }));
      }),
    );
    upstream.on(
      'data',
      messageReader((message) => {
        const responseTo = message.readInt32LE(8);
        const more = partial.get(responseTo);
        partial.delete(responseTo);
        if (!more) {
          client.write(message);
          return;
        }
        const answer = decodeMessage(message, { exact: true });
        const writeErrors = [...((answer.writeErrors as MongoReply[] | undefined) ?? []), ...more];
        client.write(encodeMessage({ ...answer, writeErrors }, { responseTo }));
      }),
    );
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined); // 'close' follows
      socket.on('close', () => {
        sockets.delete(socket);
        for (const each of [client, upstream]) each.destroy();
      });
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  address.hostname = '127.0.0.1';
  address.port = String((server.address() as AddressInfo).port);
  return {
    mongodbUri: address.href,
    get refused() {
      return refused;
    },
    fill: () => {
      isFull = true;
    },
    free: () => {
      isFull = false;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

type Refusal =
  | { readonly answer: MongoReply }
  | { readonly command: MongoReply; readonly writeErrors: readonly MongoReply[] };

/** What to do with a command; undefined: forward it unchanged. */
function refusalOf(message: Buffer): Refusal | undefined {
  const command = decodeMessage(message, { exact: true });
  const [name = ''] = Object.keys(command);
  if (name === 'findAndModify') return { answer: { ok: 0, ...diskFull, codeName: 'OutOfDiskSpace' } };
  const field = statements[name];
  if (field === undefined) return undefined;
  const all = command[field] as MongoReply[];
  const fitting = Math.floor(all.length / 2);
  // An ordered command stops at the first refused statement.
  const tried = command.ordered === false ? all.length : fitting + 1;
  const writeErrors = all.slice(fitting, tried).map((_, n) => ({ index: fitting + n, ...diskFull }));
  if (fitting === 0)
    return { answer: { n: 0, ...(name === 'update' && { nModified: 0 }), writeErrors, ok: 1 } };
  return { command: { ...command, [field]: all.slice(0, fitting) }, writeErrors };
}
