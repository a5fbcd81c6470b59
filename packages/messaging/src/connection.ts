import { unavailable } from '@sigcast/contracts';
import { backoffMs, type Logger, type LogThrottle, pause, waitAtMost } from '@sigcast/runtime';
import { type ChannelModel, connect } from 'amqplib';

/** The timeout of one try to connect, in milliseconds. */
const connectTimeoutMs = 5_000;
/** The heartbeat interval. A broker that is silent for two to three intervals counts as gone (RabbitMQ: Heartbeats). */
const heartbeatS = 10;
/** The timeout of the closing handshake, in milliseconds, so that a stopping service does not wait for a silent broker. */
const closeTimeoutMs = 1_000;
/** A connection that ended sooner counts as a failed try, in milliseconds, so that the pause before the next try grows. */
const stableAfterMs = 5_000;

/** Where the broker is. */
export type BrokerAddresses = {
  /** One address or, in a cluster, several: `amqp:` or `amqps:`, with user and password. */
  readonly urls: readonly string[];
  /** PEM of the authorities that `amqps:` trusts in place of the system's own. */
  readonly ca?: string | undefined;
};

type ConnectionOptions = BrokerAddresses & {
  /** Shown in the broker's list of connections. */
  readonly name: string;
  readonly log: Logger;
  /** Limits how often the same failure is logged. */
  readonly logThrottle: LogThrottle;
  /** Prepares a new connection. When it rejects, the connection is closed and another one is made. */
  readonly setup: (model: ChannelModel) => Promise<void>;
  /** Called when a connection is set up. `lost` is called later, never before. */
  readonly ready: (model: ChannelModel) => void;
  /** Called once for each connection that was made, when it is lost or abandoned. */
  readonly lost: () => void;
};

/** A connection that is made again when it is lost. */
export type ManagedConnection = {
  /** Resolves when the first connection is set up. */
  readonly firstConnected: Promise<void>;
  /** Whether the broker refuses user or password, and has not accepted them since the process started. */
  readonly refused: boolean;
  /** Closes the current connection, and tries the next address. */
  abandon(reason: string): void;
  close(): Promise<void>;
};

/**
 * Keeps one connection to the broker: makes it, sets it up, and makes another one whenever it is lost. The addresses are
 * tried in turn, from a random one on.
 *
 * The library's own recovery is not used: it has no listeners while a connection is set up, so a connection that breaks then
 * ends the process, or its loss is not noticed.
 */
export function keepConnected(options: ConnectionOptions): ManagedConnection {
  const { log, name, logThrottle, urls } = options;
  const stopping = new AbortController();
  const { promise: firstConnected, resolve: connected } = Promise.withResolvers<void>();
  let open: { model: ChannelModel; gone: Promise<unknown>; abandon: (reason: string) => void } | undefined;
  let refused = false;
  let accepted = false;

  /** Makes a connection, and resolves when it is lost. Rejects when it could not be set up. */
  const connectUntilLost = async (url: string): Promise<void> => {
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
    const { promise: abandoned, resolve: abandonNow } = Promise.withResolvers<void>();
    open = {
      model,
      gone,
      abandon: (because) => {
        reason ??= new Error(`abandoned: ${because}`);
        abandonNow();
      },
    };
    try {
      if (stopping.signal.aborted) return;
      await Promise.race([options.setup(model), gone]);
      if (ended) throw new Error(`the connection was lost while it was set up (${messageOf(reason)})`);
      options.ready(model);
      log.info({ connection: name, host: hostOf(url) }, 'broker: connected');
      connected();
      await Promise.race([gone, abandoned]);
      if (!stopping.signal.aborted) {
        log.warn(
          { connection: name, host: hostOf(url), reason: messageOf(reason) },
          'broker: connection lost',
        );
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
        await connectUntilLost(url);
        failures = performance.now() - startedAt < stableAfterMs ? failures + 1 : 0;
      } catch (error) {
        failures++;
        refused = isRefusal(error);
        if (!stopping.signal.aborted) logFailure(url, error, { log, logThrottle });
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
    abandon: (reason) => open?.abandon(reason),
    close: async () => {
      stopping.abort();
      if (open) await closeModel(open.model, open.gone);
    },
  };
}

/** Logs why a try failed. Of the address it logs only host and user, since the rest may be secret. */
function logFailure(
  url: string,
  error: unknown,
  { log, logThrottle }: { readonly log: Logger; readonly logThrottle: LogThrottle },
): void {
  const host = hostOf(url);
  const reason = messageOf(error);
  if (!logThrottle.isDue(`${host} ${reason}`)) return;
  if (isRefusal(error)) {
    log.error({ host, user: userOf(url) }, 'broker: user or password refused');
  } else {
    log.warn({ host, reason }, 'broker: no connection yet');
  }
}

/** Whether the broker refused user or password (AMQP 0-9-1: access-refused), by the library's error message. */
function isRefusal(error: unknown): boolean {
  return messageOf(error).startsWith('Handshake terminated by server: 403');
}

/** Whether the broker says that a queue or an exchange does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === notFound;
}

/** AMQP 0-9-1, reply codes. */
const notFound = 404;

/** The message of an error. Its other properties are not logged: they may contain certificates or arguments. */
function messageOf(error: unknown): string {
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

/** Closes a connection, also a broken one, within {@link closeTimeoutMs}. */
async function closeModel(model: ChannelModel, gone: Promise<unknown>): Promise<void> {
  const closed = model.close().catch(() => undefined); // rejects when it is closed already
  await waitAtMost(closeTimeoutMs, Promise.race([closed, gone]));
}

/** The address with a heartbeat, by which a silent loss is noticed within 30 s. */
function withHeartbeat(url: string): string {
  const address = new URL(url);
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', String(heartbeatS));
  return address.href;
}

/** Rejects with SERVICE_UNAVAILABLE when `signal` aborts. The library never answers requests of a lost connection. */
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
