import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** A TCP proxy that a test can break: it stands for the network between a client and a real store. */
export type TcpProxy = {
  readonly port: number;
  /** The same URL through the proxy, such as `amqp://guest:guest@127.0.0.1:<port>`. */
  through(url: string): string;
  /** Connections open through the proxy now. */
  readonly connections: number;
  /** Connections that clients have made so far. */
  readonly made: number;
  /** Breaks every open connection, as a crash of the peer does. New connections are forwarded. */
  cut(): void;
  /** From now on breaks every new connection. Open connections stay; `cut()` breaks those. */
  refuse(): void;
  /** From now on forwards nothing in either direction, on open and new connections, like a silent network. */
  hang(): void;
  /** From now on delays all data by this many milliseconds in each direction; 0 ends the delay. */
  delay(ms: number): void;
  /** Ends `refuse` and `hang`. Data that `hang` has stopped is forwarded. */
  restore(): void;
  [Symbol.asyncDispose](): Promise<void>;
};

type Link = {
  readonly client: Socket;
  readonly upstream: Socket;
  readonly there: Transform;
  readonly back: Transform;
};

/** Starts a proxy on a free port of 127.0.0.1 in front of `target`. */
export async function startTcpProxy(target: {
  readonly host: string;
  readonly port: number;
}): Promise<TcpProxy> {
  const links = new Set<Link>();
  let mode: 'forward' | 'refuse' | 'hang' = 'forward';
  let delayMs = 0;
  let made = 0;

  const flow = ({ client, upstream, there, back }: Link) => {
    client.pipe(there);
    upstream.pipe(back);
  };
  const hold = ({ client, upstream, there, back }: Link) => {
    client.unpipe(there);
    upstream.unpipe(back);
  };
  const accept = (client: Socket) => {
    made++;
    if (mode === 'refuse') {
      client.on('error', () => undefined).resetAndDestroy();
      return;
    }
    const upstream = connect({ ...target, noDelay: true });
    const link: Link = { client, upstream, there: delayLine(() => delayMs), back: delayLine(() => delayMs) };
    links.add(link);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => undefined); // 'close' follows
      socket.on('close', () => {
        links.delete(link);
        other.destroy();
      });
    }
    link.there.pipe(upstream);
    link.back.pipe(client);
    if (mode === 'forward') flow(link);
  };
  const breakAll = () => {
    for (const { client, upstream } of links) {
      client.resetAndDestroy();
      upstream.destroy();
    }
  };

  const server = createServer({ noDelay: true }, accept);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    port,
    through: (url) => {
      const address = new URL(url);
      address.hostname = '127.0.0.1';
      address.port = String(port);
      return address.href;
    },
    get connections() {
      return links.size;
    },
    get made() {
      return made;
    },
    cut: breakAll,
    refuse: () => {
      mode = 'refuse';
    },
    hang: () => {
      mode = 'hang';
      for (const link of links) hold(link);
    },
    delay: (ms) => {
      delayMs = ms;
    },
    restore: () => {
      if (mode === 'hang') for (const link of links) flow(link);
      mode = 'forward';
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        breakAll();
      }),
  };
}

/** Forwards chunks and the end in order, each after `delayMs`; at once while that is 0 and nothing waits. */
function delayLine(delayMs: () => number): Transform {
  const waiting: { readonly dueMs: number; readonly pass: () => void }[] = [];
  // One timer at a time: after a pause of the process, two timers may fire in the wrong order.
  const passOn = () => {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const ms = first.dueMs - performance.now();
      if (ms > 0) return void setTimeout(passOn, Math.ceil(ms));
      first.pass();
      waiting.shift();
    }
  };
  const inTurn = (pass: () => void) => {
    const dueMs = Math.max(waiting.at(-1)?.dueMs ?? 0, performance.now() + delayMs());
    waiting.push({ dueMs, pass });
    if (waiting.length === 1) passOn();
  };
  return new Transform({
    transform(chunk, _encoding, done) {
      inTurn(() => this.push(chunk));
      done();
    },
    flush: (done) => inTurn(done),
  });
}
