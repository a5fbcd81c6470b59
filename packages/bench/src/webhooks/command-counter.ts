import { type AddressInfo, connect, createServer } from 'node:net';

/** A proxy in front of MongoDB that counts the commands of clients. */
export type CommandCounter = {
  /** The store's address through the proxy. */
  readonly mongodbUri: string;
  readonly commands: number;
  /** Commands by name and collection (`find deliveries`). */
  readonly byName: ReadonlyMap<string, Counted>;
};

export type Counted = {
  readonly commands: number;
  /** How long their answers took in all, in milliseconds. */
  readonly ms: number;
};

/** Starts the proxy on a free port of loopback, in front of a single server. */
export async function startCommandCounter(
  mongodbUri: string,
  scope: AsyncDisposableStack,
): Promise<CommandCounter> {
  const counted = new URL(mongodbUri);
  const target = { host: counted.hostname, port: Number(counted.port), noDelay: true };
  let commands = 0;
  const byName = new Map<string, Counted>();
  const server = createServer((client) => {
    const upstream = connect(target);
    client.setNoDelay(true);
    const asked = new Map<number, { readonly name: string; readonly at: number }>();
    client.on(
      'data',
      messages((head) => {
        commands += 1;
        asked.set(head.readInt32LE(4), { name: nameOf(head), at: performance.now() });
      }),
    );
    upstream.on(
      'data',
      messages((head) => {
        const request = asked.get(head.readInt32LE(8));
        if (!request) return;
        asked.delete(head.readInt32LE(8));
        const before = byName.get(request.name) ?? { commands: 0, ms: 0 };
        const ms = before.ms + performance.now() - request.at;
        byName.set(request.name, { commands: before.commands + 1, ms });
      }),
    );
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      socket.on('error', () => undefined);
      socket.once('close', () => [client, upstream].map((each) => each.destroy()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scope.defer(() => void server.close());
  counted.port = String((server.address() as AddressInfo).port);
  return {
    mongodbUri: counted.href,
    get commands() {
      return commands;
    },
    get byName() {
      return new Map(byName);
    },
  };
}

/** Commands a second between two counts, the most frequent first: `find deliveries 12.0 (1.3 ms)`. */
export function describeCommands(
  from: CommandCounter['byName'],
  to: CommandCounter['byName'],
  elapsedMs: number,
): string {
  return [...to]
    .map(([name, { commands, ms }]) => {
      const before = from.get(name) ?? { commands: 0, ms: 0 };
      return { name, count: commands - before.commands, ms: ms - before.ms };
    })
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count)
    .map(({ name, count, ms }) => {
      return `${name} ${((count * 1_000) / elapsedMs).toFixed(1)} (${(ms / count).toFixed(1)} ms)`;
    })
    .join(', ');
}

/** Enough bytes of a message for the first field of its document, which has the name of a command and of a collection. */
const headBytes = 96;
/** Where the document begins in a message (OP_MSG: header, flags, kind of the section). */
const documentAt = 16 + 4 + 1;

/** The command and its collection: name and value of the document's first field (BSON: its type, its name, its text). */
function nameOf(head: Buffer): string {
  const nameAt = documentAt + 4 + 1;
  const nameEnd = head.indexOf(0, nameAt);
  const name = head.toString('latin1', nameAt, nameEnd);
  const isText = head[nameAt - 1] === 2;
  const textAt = nameEnd + 1 + 4;
  return isText ? `${name} ${head.toString('latin1', textAt, head.indexOf(0, textAt))}` : name;
}

/** Each message of the wire protocol begins with its length, 32 bits, little-endian. `onMessage` gets the first bytes of each. */
function messages(onMessage: (head: Buffer) => void): (chunk: Buffer) => void {
  const head = Buffer.alloc(headBytes);
  let [seen, length] = [0, Number.POSITIVE_INFINITY];
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      const wanted = seen < 4 ? 4 : Math.min(length, headBytes);
      const taken = Math.min((seen < wanted ? wanted : length) - seen, chunk.length - at);
      if (seen < wanted) chunk.copy(head, seen, at, at + taken);
      at += taken;
      seen += taken;
      if (seen === 4) length = head.readInt32LE();
      if (seen === Math.min(length, headBytes)) onMessage(head);
      if (seen === length) [seen, length] = [0, Number.POSITIVE_INFINITY];
    }
  };
}
