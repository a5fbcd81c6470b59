import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** How the connections of a server come to their end. */
export type Connections = {
  /** The latest answer of a connection, unless it is out whole, and its request in: then what comes is a new request. */
  inHand(socket: Socket): ServerResponse | undefined;
  /** From now on each answer tells the client that it is the last on its connection (RFC 9112, 9.6). */
  announceEnd(): void;
  /** Resolves when no connection waits to be accepted: closing the listener would reset it. */
  accepted(): Promise<void>;
  /**
   * Takes no more connections, and ends each with what is in hand there. Those that are idle end after `lingerMs`: a
   * client that was told nothing may just be sending. Resolves when all have ended.
   */
  close(lingerMs: number): Promise<void>;
};

/** Clients that don't mind that it stops must not keep it from doing so. */
const maxAccepting = 1_000;

/**
 * Knows the latest answer of each connection of a server. Nothing is done when it ends: answers leave in the order of
 * their requests, and this is on the path of every request. The server must answer requests with `Expect` itself.
 */
export function trackConnections(server: Server): Connections {
  const latest = new Map<Socket, ServerResponse | undefined>();
  let ending = false;
  let count = 0;
  server.on('connection', (socket: Socket) => {
    count += 1;
    latest.set(socket, undefined);
    socket.on('close', () => latest.delete(socket));
  });
  const track = ({ socket }: IncomingMessage, response: ServerResponse) => {
    latest.set(socket, response);
    if (ending) response.shouldKeepAlive = false;
  };
  // Before the application, which may answer at once. A request with `Expect` is not among those of `request`.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, track);

  /** Ends an idle connection unless something comes: that is the beginning of a request, and then the last. */
  const endIdle = (socket: Socket, lingerMs: number) => {
    const [response, bytesRead] = [latest.get(socket), socket.bytesRead];
    const end = () => {
      if (latest.get(socket) === response && socket.bytesRead === bytesRead) socket.destroy();
    };
    if (lingerMs === 0) end();
    // What has come by then is read before the look, however busy the process was.
    else setTimeout(() => setImmediate(end), lingerMs);
  };
  const announceEnd = () => {
    ending = true;
    for (const response of latest.values()) {
      // Node closes the connection then, after the answer. Where its head is out, the client believes the head.
      if (response && !response.headersSent) response.shouldKeepAlive = false;
    }
  };

  return {
    inHand: (socket) => {
      const response = latest.get(socket);
      return response?.writableFinished && response.req.complete ? undefined : response;
    },
    announceEnd,
    accepted: async () => {
      // The system is asked for one connection in each turn of the event loop, but for the rest of this one.
      for (let turns = 0, quiet = 0; quiet < 2 && turns < maxAccepting; turns += 1) {
        const before = count;
        await new Promise((resolve) => setImmediate(resolve));
        quiet = count === before ? quiet + 1 : 0;
      }
    },
    close: (lingerMs) => {
      announceEnd();
      const closed = new Promise<void>((resolve) => {
        // Not the HTTP server's own: it destroys connections whose last answer is still on its way out.
        NetServer.prototype.close.call(server, () => resolve());
      });
      for (const [socket, response] of latest) {
        if (response === undefined ? socket.bytesRead === 0 : response.closed) endIdle(socket, lingerMs);
        else if (response?.shouldKeepAlive) response.once('close', () => endIdle(socket, lingerMs));
      }
      return closed;
    },
  };
}

/** Cuts connections of an address that has as many open already. `nameOf` says what counts as one address. */
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
