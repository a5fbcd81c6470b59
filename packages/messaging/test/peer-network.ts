import { type AddressInfo, connect, createServer } from 'node:net';
import { startTcpProxy, type TcpProxy } from '@sigcast/testing';

/** The network from one node of a cluster to the others: a proxy in front of each. */
export type PeerNetwork = AsyncDisposable & {
  /** The port of the port mapper (epmd) that this node asks for the others. */
  readonly port: number;
  /** The proxy to the node that listens on `distributionPort`; undefined while this node has not asked for it. */
  wayTo(distributionPort: number): TcpProxy | undefined;
};

/** Erlang's distribution protocol, 13.2: asking epmd for a node's port, its answer, and asking for all names. */
const portRequest = 122;
const portAnswer = 119;
const namesRequest = 110;

/** Starts a port mapper in front of the real one. For each node it answers with the port of a proxy to that node. */
export async function startPeerNetwork(epmdPort: number): Promise<PeerNetwork> {
  await using scope = new AsyncDisposableStack();
  const starting = new Map<number, Promise<TcpProxy>>();
  const started = new Map<number, TcpProxy>();
  const proxyTo = async (port: number): Promise<TcpProxy> => {
    const proxy = starting.get(port) ?? startTcpProxy({ host: '127.0.0.1', port });
    starting.set(port, proxy);
    started.set(port, await proxy);
    return proxy;
  };
  const server = createServer((client) => {
    const epmd = connect(epmdPort, '127.0.0.1');
    for (const [socket, other] of [
      [client, epmd],
      [epmd, client],
    ] as const) {
      socket.on('error', () => undefined); // 'close' follows
      socket.on('close', () => void other.end()); // `end` sends what is written first
    }
    let asked: number | undefined;
    client.on('data', (request: Buffer) => {
      asked ??= request[2]; // two bytes of length come first
      epmd.write(request);
    });
    epmd.on('data', async (answer: Buffer) => {
      epmd.pause(); // the answer is complete, and must be sent before the connection ends
      if (asked === portRequest && answer[0] === portAnswer && answer[1] === 0) {
        answer.writeUInt16BE((await proxyTo(answer.readUInt16BE(2))).port, 2);
      } else if (asked === namesRequest) {
        // The answer begins with the mapper's own port, which must be the port that was asked.
        answer.writeUInt32BE(port, 0);
        asked = -1;
      }
      client.write(answer);
      epmd.resume();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  scope.defer(() => void server.close());
  scope.defer(async () => {
    for (const proxy of starting.values()) await (await proxy)[Symbol.asyncDispose]();
  });
  const held = scope.move();
  return {
    port,
    wayTo: (distributionPort) => started.get(distributionPort),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
