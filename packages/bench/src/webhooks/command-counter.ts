import { type AddressInfo, connect, createServer } from 'node:net';

/** What lies between clients and MongoDB, and counts the messages that clients send. */
export type CommandCounter = {
  /** The store's address by way of the counter. */
  readonly mongodbUri: string;
  readonly commands: number;
};

/** Starts one on a free port of loopback, in front of a single server. */
export async function startCommandCounter(
  mongodbUri: string,
  scope: AsyncDisposableStack,
): Promise<CommandCounter> {
  const counted = new URL(mongodbUri);
  const target = { host: counted.hostname, port: Number(counted.port), noDelay: true };
  let commands = 0;
  const server = createServer((client) => {
    const upstream = connect(target);
    client.setNoDelay(true);
    const count = counter(() => {
      commands += 1;
    });
    client.on('data', count);
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
  };
}

/** Each message of the wire protocol begins with its length, 32 bits, little-endian. */
function counter(onMessage: () => void): (chunk: Buffer) => void {
  const header = Buffer.alloc(4);
  let [seen, left] = [0, 0];
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (left > 0) {
        const taken = Math.min(left, chunk.length - at);
        at += taken;
        left -= taken;
        continue;
      }
      header[seen] = chunk[at] ?? 0;
      at += 1;
      seen += 1;
      if (seen < header.length) continue;
      left = header.readInt32LE() - header.length;
      seen = 0;
      onMessage();
    }
  };
}
