import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** The open connections of a server, and how they are closed when the server stops. */
export type Connections = {
  /**
   * Calls `handle` for a request when those before it on its connection are answered: clients may send many ahead.
   * Where too many wait, those are answered, the others are dropped, and the connection is closed after them. Requests that wait
   * when their connection closes are dropped.
   */
  inTurn(request: IncomingMessage, response: ServerResponse, handle: () => void): void;
  /** The answer under way on a connection; undefined when the last request is read and its answer is sent. */
  pendingAnswer(socket: Socket): ServerResponse | undefined;
  /** From now on each answer carries `Connection: close` (RFC 9112, 9.6). */
  announceEnd(): void;
  /** Resolves when no connection waits to be accepted: closing the listener would reset such a connection. */
  accepted(): Promise<void>;
  /**
   * Accepts no more connections, and closes each after the answer under way. Idle ones are closed after `lingerMs`: their
   * client may be sending a request. Resolves when all are closed.
   */
  close(lingerMs: number): Promise<void>;
};

/** Turns of the event loop that `accepted` waits at most, so that clients that keep connecting can't delay the stop. */
const maxAcceptTurns = 1_000;
/** How many requests of a connection may wait for their turn. Each holds 4 kB and its head, and a body that has come. */
const maxWaiting = 10;
/** How many more are dropped while those are answered. A client that sends yet another is cut off. */
const maxDropped = 30;

/** An open connection: the answer to its latest request, and how many of its requests wait for their turn or are dropped. */
type Open = { latest: ServerResponse | undefined; waiting: number; dropped: number };

/** Tracks the requests of each connection of a server. Nothing happens here when an answer ends, because that would cost every request. */
export function trackConnections(server: Server): Connections {
  const open = new Map<Socket, Open>();
  let ending = false;
  let count = 0;
  server.on('connection', (socket: Socket) => {
    count += 1;
    open.set(socket, { latest: undefined, waiting: 0, dropped: 0 });
    socket.on('close', () => open.delete(socket));
  });

  /** Closes an idle connection after `lingerMs`, unless bytes of a request arrive. */
  const closeIdle = (socket: Socket, lingerMs: number) => {
    const [response, bytesRead] = [open.get(socket)?.latest, socket.bytesRead];
    const end = () => {
      if (open.get(socket)?.latest === response && socket.bytesRead === bytesRead) socket.destroy();
    };
    if (lingerMs === 0) end();
    // `setImmediate`: bytes that have arrived are read before the check, also in a busy process.
    else setTimeout(() => setImmediate(end), lingerMs);
  };
  const announceEnd = () => {
    ending = true;
    for (const { latest } of open.values()) {
      // Node closes the connection after the answer. Where the headers are sent, the client relies on them.
      if (latest && !latest.headersSent) latest.shouldKeepAlive = false;
    }
  };

  return {
    inTurn: ({ socket }, response, handle) => {
      const connection = open.get(socket);
      if (connection === undefined) return;
      const before = connection.latest;
      if (before !== undefined && connection.waiting >= maxWaiting) {
        before.shouldKeepAlive = false;
        connection.dropped += 1;
        if (connection.dropped > maxDropped) socket.destroy();
        return;
      }
      connection.latest = response;
      if (ending) response.shouldKeepAlive = false;
      if (before === undefined || before.closed) {
        handle();
        return;
      }
      connection.waiting += 1;
      before.once('close', () => {
        connection.waiting -= 1;
        if (!socket.destroyed) handle();
      });
    },
    pendingAnswer: (socket) => {
      const response = open.get(socket)?.latest;
      return response?.writableFinished && response.req.complete ? undefined : response;
    },
    announceEnd,
    accepted: async () => {
      // Node accepts one connection in each turn of the event loop. The current turn may be past accepting, so two quiet turns.
      for (let turns = 0, quiet = 0; quiet < 2 && turns < maxAcceptTurns; turns += 1) {
        const before = count;
        await new Promise((resolve) => setImmediate(resolve));
        quiet = count === before ? quiet + 1 : 0;
      }
    },
    close: (lingerMs) => {
      announceEnd();
      const closed = new Promise<void>((resolve) => {
        // Not `server.close` of HTTP: that destroys connections whose last answer is not sent completely.
        NetServer.prototype.close.call(server, () => resolve());
      });
      for (const [socket, { latest: response }] of open) {
        if (response === undefined ? socket.bytesRead === 0 : response.closed) closeIdle(socket, lingerMs);
        else if (response?.shouldKeepAlive) response.once('close', () => closeIdle(socket, lingerMs));
      }
      return closed;
    },
  };
}

/** Closes a new connection from an address that has `perAddress` connections open. `nameOf` says what counts as one address. */
export function boundConnections(
  server: Server,
  { perAddress, nameOf }: { readonly perAddress: number; readonly nameOf: (address?: string) => string },
): void {
  const open = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    const name = nameOf(socket.remoteAddress);
    const count = open.get(name) ?? 0;
    if (count >= perAddress) {
      socket.destroy();
      return;
    }
    open.set(name, count + 1);
    socket.once('close', () => {
      const left = (open.get(name) ?? 1) - 1;
      if (left > 0) open.set(name, left);
      else open.delete(name);
    });
  });
}

/** How much of a request is read and dropped after its answer, and for how long. Above it, the client may miss the answer. */
const lingerBytes = 256 * 1024;
const lingerMs = 1_000;

/**
 * Closes the connection after the answer, if the request has not arrived completely when the answer begins (RFC 9112, 9.3).
 * Then the rest is not parsed any more. A socket that is closed while bytes are unread would take the answer away from the
 * client (9.6), so some bytes are read and dropped.
 */
export function closeUnlessComplete(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  const writeHead = response.writeHead;
  response.writeHead = ((...head: Parameters<typeof writeHead>) => {
    if (!request.complete) {
      response.shouldKeepAlive = false;
      // Node calls this when the answer is sent.
      socket.destroySoon = () => dropRest(socket);
    }
    return writeHead.apply(response, head);
  }) as typeof writeHead;
}

function dropRest(socket: Socket): void {
  // Node's listeners hand the bytes to the parser.
  socket.removeAllListeners('data').removeAllListeners('end');
  let bytes = 0;
  socket.on('data', ({ length }: Buffer) => {
    bytes += length;
    if (bytes > lingerBytes) socket.destroy();
  });
  socket.on('end', () => socket.destroy());
  const end = setTimeout(() => socket.destroy(), lingerMs);
  socket.on('close', () => clearTimeout(end));
  socket.end();
  socket.resume();
}
