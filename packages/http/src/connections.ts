import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Knows which connections have a request in hand. The function returned ends the others now and each of these with
 * its last answer: by itself Node would keep them open for the next request, and those that never sent one.
 *
 * Only the latest answer of each connection is remembered, and nothing is done when it ends: answers leave in the
 * order of their requests, and this is on the path of every request.
 */
export function trackConnections(server: Server): () => void {
  const latest = new Map<Socket, ServerResponse | undefined>();
  let draining = false;
  server.on('connection', (socket: Socket) => {
    latest.set(socket, undefined);
    socket.on('close', () => latest.delete(socket));
  });
  const endWith = (socket: Socket, response: ServerResponse) => {
    // Tells the client (Connection: close) where there is still time to.
    response.shouldKeepAlive = false;
    response.once('close', () => {
      if (latest.get(socket) === response) socket.end();
    });
  };
  server.on('request', ({ socket }, response) => {
    latest.set(socket, response);
    if (draining) endWith(socket, response);
  });
  return () => {
    draining = true;
    for (const [socket, response] of latest) {
      if (response === undefined || response.closed) socket.destroy();
      else endWith(socket, response);
    }
  };
}
