import { unavailable } from '@sigcast/contracts';
import { backoffMs, type Logger, pause, waitAtMost } from '@sigcast/runtime';
import { type ChannelModel, connect } from 'amqplib';
import type { Telling } from './telling.ts';

/** How long one attempt to reach the broker may take, in milliseconds. */
const connectTimeoutMs = 5_000;
/** A broker that says nothing for two to three of these is taken as gone (RabbitMQ: Heartbeats). */
const heartbeatS = 10;
/** How long the closing handshake may take; a broker that doesn't answer must not hold a stopping service up. */
const closeTimeoutMs = 1_000;
/** A connection that ended sooner counts as a failed try: a broker that takes connections and ends them is not asked in a hurry. */
const provenMs = 5_000;

/** Where the broker is. */
export type BrokerAddresses = {
  /** One address or, in a cluster, several: `amqp:` or `amqps:`, with user and password. */
  readonly urls: readonly string[];
  /** PEM of the authorities that `amqps:` trusts in place of the system's own. */
  readonly ca?: string | undefined;
};

export type ConnectionOptions = BrokerAddresses & {
  /** Shown in the broker's list of connections. */
  readonly name: string;
  readonly log: Logger;
  /** Keeps what is said of failed tries from being said again and again. */
  readonly telling: Telling;
  /** Prepares a fresh connection. When it rejects, the connection is given up and another one is made. */
  readonly setup: (model: ChannelModel) => Promise<void>;
  /** Called when a connection is set up and still there; `lost` follows, never precedes it. */
  readonly ready: (model: ChannelModel) => void;
  /** Called once for every connection made, when it is gone or given up. */
  readonly lost: () => void;
};

export type KeptConnection = {
  /** Resolves when a connection is set up for the first time. */
  readonly firstConnected: Promise<void>;
  /** The broker refuses user or password, and has not accepted them since the process started. */
  readonly refused: boolean;
  /** Ends the connection there is, and tries the next address. */
  giveUp(reason: string): void;
  close(): Promise<void>;
};

/**
 * Keeps one connection to the broker: makes it, sets it up, and begins again whenever it is lost. The addresses are
 * tried in turn, from a random one on.
 *
 * Not the library's own recovery: during its set-up a connection has no listeners, so one that breaks just then
 * ends the process, or is never noticed to be gone.
 */
export function keepConnected(options: ConnectionOptions): KeptConnection {
  const { log, name, telling, urls } = options;
  const stopping = new AbortController();
  const { promise: firstConnected, resolve: connected } = Promise.withResolvers<void>();
  let open: { model: ChannelModel; gone: Promise<unknown>; giveUp: (reason: string) => void } | undefined;
  let refused = false;
  let accepted = false;

  /** One connection from its first byte to its end. Rejects when it never became usable. */
  const live = async (url: string): Promise<void> => {
    const model = await connect(withHeartbeat(url), {
      noDelay: true, // without it a confirmed publish waits 40 ms for a delayed TCP acknowledgement
      timeout: connectTimeoutMs,
      clientProperties: { connection_name: name },
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    });
    accepted = true;
    let reason: unknown;
    let ended = false;
    model.on('error', (err: Error) => {
      reason = err; // 'close' follows and is what counts
    });
    const { promise: gone, resolve: end } = Promise.withResolvers<void>();
    model.on('close', () => {
      ended = true;
      end();
    });
    const { promise: givenUp, resolve: abandon } = Promise.withResolvers<void>();
    open = {
      ...{ model, gone },
      giveUp: (because) => {
        reason ??= new Error(`given up: ${because}`);
        abandon();
      },
    };
    try {
      if (stopping.signal.aborted) return;
      await Promise.race([options.setup(model), gone]);
      if (ended) throw new Error(`the connection was lost while it was set up (${words(reason)})`);
      options.ready(model);
      log.info({ connection: name, host: hostOf(url) }, 'broker: connected');
      connected();
      await Promise.race([gone, givenUp]);
      if (!stopping.signal.aborted) {
        log.warn({ connection: name, host: hostOf(url), reason: words(reason) }, 'broker: connection lost');
      }
    } finally {
      options.lost();
      await closeModel(model, gone);
      open = undefined;
    }
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    for (let next = randomBelow(urls.length); !stopping.signal.aborted; next++) {
      const url = urls[next % urls.length] ?? '';
      const startedAt = performance.now();
      try {
        await live(url);
        failures = performance.now() - startedAt < provenMs ? failures + 1 : 0;
      } catch (error) {
        failures++;
        refused = isRefusal(error);
        if (!stopping.signal.aborted) tellFailure(url, error, { log, telling });
      }
      // All addresses are tried before the pauses get longer.
      const round = Math.max(1, Math.ceil(failures / urls.length));
      const waitMs = backoffMs(round, { firstMs: 100, maxMs: 2_000 });
      await pause(waitMs, stopping.signal).catch(() => undefined);
    }
  };
  void run();

  return {
    firstConnected,
    get refused() {
      return refused && !accepted;
    },
    giveUp: (reason) => open?.giveUp(reason),
    close: async () => {
      stopping.abort();
      if (open) await closeModel(open.model, open.gone);
    },
  };
}

/** Says why a try failed, without anything of the address but host and user: the rest may be secret. */
function tellFailure(
  url: string,
  error: unknown,
  { log, telling }: { readonly log: Logger; readonly telling: Telling },
): void {
  const host = hostOf(url);
  const reason = words(error);
  if (!telling.isDue(`${host} ${reason}`)) return;
  if (isRefusal(error)) {
    log.error({ host, user: userOf(url) }, 'broker: user or password refused');
  } else {
    log.warn({ host, reason }, 'broker: no connection yet');
  }
}

/** AMQP 0-9-1, reply code access-refused, in the words in which the library tells of it. */
function isRefusal(error: unknown): boolean {
  return words(error).startsWith('Handshake terminated by server: 403');
}

/** An error's message alone: as properties, errors of sockets carry certificates, and others what they were called with. */
function words(error: unknown): string {
  const { message, code } = (error ?? {}) as { readonly message?: unknown; readonly code?: unknown };
  // The message is empty when none of several addresses behind one name has answered.
  return String(message || code || 'closed by the broker');
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}

function userOf(url: string): string {
  return URL.parse(url)?.username || 'guest';
}

function randomBelow(count: number): number {
  return Math.floor(Math.random() * count);
}

/** Ends a connection, alive or not, in bounded time. */
async function closeModel(model: ChannelModel, gone: Promise<unknown>): Promise<void> {
  const closed = model.close().catch(() => undefined); // rejects when it is closed already
  await waitAtMost(closeTimeoutMs, Promise.race([closed, gone]));
}

/** The address of a connection whose end is noticed, however silent, within 30 s. */
function withHeartbeat(url: string): string {
  const address = new URL(url);
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', String(heartbeatS));
  return address.href;
}

/** Rejects with SERVICE_UNAVAILABLE on abortion: what is asked of a lost connection the library leaves without an answer. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(unavailable('The message broker'));
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
