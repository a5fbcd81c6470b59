import { unavailable } from '@sigcast/contracts';
import { backoffMs, type Logger, pause, waitAtMost } from '@sigcast/runtime';
import { type ChannelModel, connect } from 'amqplib';

/** How long one attempt to reach the broker may take, in milliseconds. */
export const connectTimeoutMs = 5_000;
/** A broker that says nothing for two of these is taken as gone (RabbitMQ: Heartbeats). */
const heartbeatS = 10;
/** How long the closing handshake may take; a broker that doesn't answer must not hold a stopping service up. */
const closeTimeoutMs = 1_000;

export type ConnectionOptions = {
  readonly url: string;
  /** Shown in the broker's list of connections. */
  readonly name: string;
  readonly log: Logger;
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
  close(): Promise<void>;
};

/**
 * Keeps one connection to the broker: makes it, sets it up, and begins again whenever it is lost.
 *
 * Not the library's own recovery: during its set-up a connection has no listeners, so one that breaks just then
 * ends the process, or is never noticed to be gone.
 */
export function keepConnected(options: ConnectionOptions): KeptConnection {
  const { log } = options;
  const stopping = new AbortController();
  const { promise: firstConnected, resolve: connected } = Promise.withResolvers<void>();
  let open: { model: ChannelModel; gone: Promise<unknown> } | undefined;

  /** One connection from its first byte to its end. Rejects when it never became usable. */
  const live = async (): Promise<void> => {
    const model = await connect(withHeartbeat(options.url), {
      noDelay: true, // without it a confirmed publish waits 40 ms for a delayed TCP acknowledgement
      timeout: connectTimeoutMs,
      clientProperties: { connection_name: options.name },
    });
    let reason: unknown;
    let ended = false;
    model.on('error', (err: Error) => {
      reason = err; // 'close' follows and is what counts
    });
    const gone = new Promise<void>((resolve) => {
      model.on('close', () => {
        ended = true;
        resolve();
      });
    });
    open = { model, gone };
    try {
      if (stopping.signal.aborted) return;
      await Promise.race([options.setup(model), gone]);
      if (ended) throw new Error('the connection was lost while it was set up', { cause: reason });
      options.ready(model);
      log.info('broker: connected');
      connected();
      await gone;
      if (!stopping.signal.aborted) log.warn({ err: reason }, 'broker: connection lost');
    } finally {
      options.lost();
      await closeModel(model, gone);
      open = undefined;
    }
  };

  const run = async (): Promise<void> => {
    for (let attempt = 1; !stopping.signal.aborted; attempt++) {
      try {
        await live();
        attempt = 0;
      } catch (err) {
        if (!stopping.signal.aborted) log.warn({ err }, 'broker: no connection yet');
      }
      const wait = backoffMs(Math.max(1, attempt), { firstMs: 100, maxMs: 2_000 });
      await pause(wait, stopping.signal).catch(() => undefined);
    }
  };
  void run();

  return {
    firstConnected,
    close: async () => {
      stopping.abort();
      if (open) await closeModel(open.model, open.gone);
    },
  };
}

/** Ends a connection, alive or not, in bounded time. */
export async function closeModel(model: ChannelModel, gone: Promise<unknown>): Promise<void> {
  const closed = model.close().catch(() => undefined); // rejects when it is closed already
  await waitAtMost(closeTimeoutMs, Promise.race([closed, gone]));
}

/** The address of a connection whose end is noticed, however silent, within 20 s. */
export function withHeartbeat(url: string): string {
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
