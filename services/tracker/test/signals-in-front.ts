import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnLoopback } from '@sigcast/testing';
import { sendJson } from './market.ts';

/**
 * A server in front of the real signals service, which plays another version of it until that is replaced. Listens on
 * loopback.
 *
 * @param answer is called with the method and the parsed body of each request, and returns whether it has answered. Other
 * requests are passed on.
 */
export async function signalsInFront(
  url: string,
  answer: (res: ServerResponse, method: string, body: Record<string, unknown>) => boolean,
) {
  let isReplaced = false;
  const server = createServer(async (req, res) => {
    const { method = '', headers } = req;
    const body = await text(req);
    if (!isReplaced && answer(res, method, JSON.parse(body) as Record<string, unknown>)) return;
    const answered = await fetch(`${url}${req.url}`, {
      method,
      body,
      headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
    });
    sendJson(res, answered.status, await answered.json());
  });
  return {
    url: await listenOnLoopback(server),
    /** From now on every request reaches the real service. */
    replace: () => {
      isReplaced = true;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
