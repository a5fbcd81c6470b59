import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Knows which connections have a request in hand. The function returned ends the others now and each of these with
 * its last answer: by itself Node would keep them open for the next request, and those that never sent one.
 */
export function trackConnections(server: Server): () => void {
  const inHand = new Map<Socket, Set<ServerResponse>>();
  let draining = false;
  server.on('connection', (socket: Socket) => {
    inHand.set(socket, new Set());
    socket.on('close', () => inHand.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    const responses = inHand.get(socket);
    responses?.add(response);
    response.on('close', () => {
      responses?.delete(response);
      if (draining && responses?.size === 0) socket.end();
    });
    if (draining) response.shouldKeepAlive = false;
  });
  return () => {
    draining = true;
    for (const [socket, responses] of inHand) {
      if (responses.size === 0) socket.destroy();
      // Tells the client (Connection: close) where there is still time to.
      for (const response of responses) response.shouldKeepAlive = false;
    }
  };
}
