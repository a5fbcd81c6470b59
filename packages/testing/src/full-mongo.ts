import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { decodeMessage, encodeMessage, isMessage, type MongoReply, messageReader } from './mongo-message.ts';

/** The way to a real store whose disk a test can fill. */
export type FullMongo = AsyncDisposable & {
  /** The store's address by way of it. */
  readonly mongodbUri: string;
  /** Writes refused so far, in whole or in part. */
  readonly refused: number;
  /** From now on the store has no room: it answers reads, and refuses writes. */
  fill(): void;
  /** It has room again. */
  free(): void;
};

/** What writes name their statements by. */
const statements: Readonly<Record<string, string>> = {
  insert: 'documents',
  update: 'updates',
  delete: 'deletes',
};

/** As the development engine says of SQLSTATE 53100, and MongoDB of its own. */
const diskFull = {
  code: 14031,
  errmsg: 'could not extend file "base/5/16384": No space left on device',
};

/**
 * Starts one in front of a single server. While the disk is full a command's first half is written and the rest refused,
 * statement by statement, as the development engine does with what finds room and what does not; a single statement is
 * refused, and so is findAndModify, as a whole.
 */
export async function startFullMongo(mongodbUri: string): Promise<FullMongo> {
  const address = new URL(mongodbUri);
  const target = { host: address.hostname, port: Number(address.port || 27_017), noDelay: true };
  const sockets = new Set<Socket>();
  let isFull = false;
  let refused = 0;

  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect(target);
    /** What is to be said of a command besides what the store says, by the command's id. */
    const partial = new Map<number, readonly MongoReply[]>();
    client.on(
      'data',
      messageReader((message) => {
        const requestId = message.readInt32LE(4);
        const verdict = isFull && isMessage(message) ? judge(message) : undefined;
        if (!verdict) {
          upstream.write(message);
          return;
        }
        refused += 1;
        if ('answer' in verdict) {
          client.write(encodeMessage(verdict.answer, { responseTo: requestId }));
          return;
        }
        partial.set(requestId, verdict.writeErrors);
        upstream.write(encodeMessage(verdict.command, { requestId }));
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

type Verdict =
  | { readonly answer: MongoReply }
  | { readonly command: MongoReply; readonly writeErrors: readonly MongoReply[] };

/** What becomes of a command of a client; undefined: the store answers it. */
function judge(message: Buffer): Verdict | undefined {
  const command = decodeMessage(message, { exact: true });
  const [name = ''] = Object.keys(command);
  if (name === 'findAndModify') return { answer: { ok: 0, ...diskFull, codeName: 'OutOfDiskSpace' } };
  const field = statements[name];
  if (field === undefined) return undefined;
  const all = command[field] as MongoReply[];
  const fitting = Math.floor(all.length / 2);
  // In order, nothing follows the first that is refused.
  const tried = command.ordered === false ? all.length : fitting + 1;
  const writeErrors = all.slice(fitting, tried).map((_, n) => ({ index: fitting + n, ...diskFull }));
  if (fitting === 0)
    return { answer: { n: 0, ...(name === 'update' && { nModified: 0 }), writeErrors, ok: 1 } };
  return { command: { ...command, [field]: all.slice(0, fitting) }, writeErrors };
}
