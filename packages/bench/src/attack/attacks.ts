import { connect, type OnReadOpts, type Socket } from 'node:net';
import { largePath } from '../gateway/upstream-paths.ts';

/** What an attack aims at, and the credentials that it has. */
export type Target = {
  readonly origin: string;
  /** Keys of accounts of the attacker's, one of each. */
  readonly keys: readonly string[];
  /** A key of an account that is over its limit. */
  readonly exhaustedKey: string;
  /** The e-mail address of somebody else's account. */
  readonly email: string;
};

export type Attack = {
  /** Settings of the gateway that is attacked, beside those that every gateway of the bench has. */
  readonly settings?: Readonly<Record<string, string>>;
  /** From which devices the owner of the account has to get in meanwhile: one that has signed in before, a new one. */
  readonly owner?: readonly ('known' | 'new')[];
  /** Begins the attack, in the attackers' process. It goes on until that process ends. */
  readonly begin: (target: Target) => void;
};

/** How soon an attacker whose connection was closed connects again, on average. */
const reconnectAfterMs = 1_000;
/** New connections of all attackers a second. More at once would measure how fast the machine accepts, with or without limits. */
const connectionsPerSecond = 200;

/** The attacks, by the names by which `bench attack` knows them. */
export const attacks: Readonly<Record<string, Attack>> = {
  /** 600 sockets of nine accounts send a body one byte at a time; 200 sockets of an account over its limit go on asking. */
  'slow-bodies': {
    begin: ({ origin, keys, exhaustedKey }) => {
      for (let i = 0; i < 600; i += 1) {
        const head = headOf('POST /v1/webhooks', origin, [
          ...bearer(turn(keys, i)),
          ...json,
          'Content-Length: 90',
        ]);
        attackAgain(origin, (socket) => {
          socket.write(`${head}{`);
          const timer = setInterval(() => socket.write(' '), 2_000);
          socket.once('close', () => clearInterval(timer));
          socket.resume();
        });
      }
      const request = headOf('GET /v1/signals', origin, bearer(exhaustedKey));
      for (let i = 0; i < 200; i += 1) {
        attackAgain(origin, (socket) => {
          // After a pause of this process, intervals that were due fire together and stay together; random pauses spread them again.
          const ask = () => {
            socket.write(request);
            timer = setTimeout(ask, 400 * Math.random());
          };
          let timer = setTimeout(ask, 400 * Math.random());
          socket.once('close', () => clearTimeout(timer));
          socket.resume();
        });
      }
    },
  },

  /** 20 sockets without a key send bodies of 99,000 chunks of one byte each, and never finish them. */
  'tiny-chunks': {
    begin: ({ origin }) => {
      const chunks = '1\r\nx\r\n'.repeat(99_000);
      for (let i = 0; i < 20; i += 1) {
        const target = i % 2 === 0 ? 'POST /account/session' : 'POST /v1/webhooks';
        const request = headOf(target, origin, [...json, 'Transfer-Encoding: chunked']) + chunks;
        attackAgain(origin, (socket) => {
          socket.write(request);
          socket.resume();
        });
      }
    },
  },

  /** A socket of each of nine accounts asks for ten answers of 500 kB, as many as may wait for their turn, and reads one byte a second. */
  'slow-readers': {
    begin: ({ origin, keys }) => {
      for (const key of keys) {
        const requests = headOf(`GET ${largePath}`, origin, bearer(key)).repeat(10);
        const readOneByte = (socket: Socket) => {
          socket.write(requests);
          const timer = setInterval(() => socket.resume(), 1_000);
          socket.once('close', () => clearInterval(timer));
        };
        // With a buffer of Node's, the socket would read 64 kB at once.
        attackAgain(origin, readOneByte, { onread: { buffer: Buffer.alloc(1), callback: () => false } });
      }
    },
  },

  /** 50 sockets without a key ask whether the gateway is ready, each 50 ms after its last answer. */
  readyz: {
    begin: ({ origin }) => {
      const request = headOf('GET /readyz', origin, []);
      for (let i = 0; i < 50; i += 1) {
        attackAgain(origin, (socket) => {
          socket.write(request);
          socket.on('data', () => setTimeout(() => socket.write(request), 50));
        });
      }
    },
  },

  /** 200 connections from one network try passwords of somebody's account. The owner signs in meanwhile. */
  'sign-ins': signIns({ from: (i) => `198.18.0.${i}`, owner: ['known', 'new'] }),

  /** The same from 200 networks: only a device that has signed in before is promised to get through. */
  'sign-ins-spread': signIns({ from: (i) => `198.18.${i}.1`, owner: ['known'] }),
};

const json = ['Content-Type: application/json'];
const bearer = (key: string) => [`Authorization: Bearer ${key}`];
const turn = (keys: readonly string[], index: number) => keys[index % keys.length] ?? '';

function signIns({ from, owner }: { from: (index: number) => string } & Pick<Attack, 'owner'>): Attack {
  return {
    settings: { TRUST_PROXY: 'true' },
    ...(owner && { owner }),
    begin: ({ origin, email }) => {
      const body = JSON.stringify({ email, password: 'a wrong password' });
      for (let i = 0; i < 200; i += 1) {
        const headers = [...json, `X-Forwarded-For: ${from(i)}`, `Content-Length: ${body.length}`];
        const request = headOf('POST /account/session', origin, headers) + body;
        attackAgain(origin, (socket) => {
          socket.write(request);
          socket.on('data', () => setTimeout(() => socket.write(request), 400 * Math.random()));
        });
      }
    },
  };
}

function headOf(target: string, origin: string, headers: readonly string[]): string {
  return [`${target} HTTP/1.1`, `Host: ${new URL(origin).host}`, ...headers, '', ''].join('\r\n');
}

/** Connections that wait to be opened. */
const waiting: (() => void)[] = [];

/** Opens the connections that attacks ask for, a few at a time. Resolves when every attacker has had one. */
export async function openWaiting(): Promise<void> {
  let first = waiting.length;
  await new Promise<void>((resolve) => {
    setInterval(() => {
      waiting.shift()?.();
      first -= 1;
      if (first === 0) resolve();
    }, 1_000 / connectionsPerSecond);
  });
}

/** Opens a connection in its turn, and another one some time after each end. */
function attackAgain(
  origin: string,
  onOpen: (socket: Socket) => void,
  options: { onread?: OnReadOpts } = {},
): void {
  const { hostname, port } = new URL(origin);
  waiting.push(() => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, ...options });
    socket.once('connect', () => onOpen(socket));
    socket.on('error', () => undefined);
    // Random, because connections that are refused together would otherwise stay together.
    const afterMs = reconnectAfterMs * (0.5 + Math.random());
    socket.once('close', () => setTimeout(attackAgain, afterMs, origin, onOpen, options));
  });
}
