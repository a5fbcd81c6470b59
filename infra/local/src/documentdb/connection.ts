import { once } from 'node:events';
import type { Socket } from 'node:net';
import { serialize } from 'bson';
import { elements, text } from './bson-scan.ts';
import type { Command, Handler } from './command.ts';
import { CommandError, toCommandError } from './errors.ts';
import {
  encodeMessage,
  encodeReply,
  ProtocolError,
  parseRequest,
  type Request,
  readMessages,
} from './wire.ts';

/** Serves one client. Each request is answered before the next one is read. */
export async function serveConnection(
  socket: Socket,
  connectionId: number,
  handlers: ReadonlyMap<string, Handler>,
): Promise<void> {
  socket.setNoDelay(true);
  // A reset connection must not end the process. The loop below ends when the connection is gone.
  socket.on('error', () => undefined);
  let replies = 0;
  try {
    for await (const message of readMessages(socket)) {
      const request = parseRequest(message);
      const reply = await answer(request, connectionId, handlers);
      if (request.kind === 'message' && !request.answer) continue;
      const encode = request.kind === 'query' ? encodeReply : encodeMessage;
      if (!socket.write(encode(reply, ++replies, request.requestId))) await drained(socket);
    }
  } catch (error) {
    if (error instanceof ProtocolError)
      process.stderr.write(`connection ${connectionId}: ${error.message}\n`);
  } finally {
    socket.destroy();
  }
}

async function drained(socket: Socket): Promise<void> {
  if (socket.destroyed) return;
  const closed = new AbortController();
  const onClose = () => closed.abort();
  socket.once('close', onClose);
  await once(socket, 'drain', { signal: closed.signal }).finally(() => socket.off('close', onClose));
}

async function answer(
  request: Request,
  connectionId: number,
  handlers: ReadonlyMap<string, Handler>,
): Promise<Uint8Array> {
  try {
    const command = toCommand(request, connectionId);
    const handler = handlers.get(command.name.toLowerCase());
    if (!handler) throw new CommandError(59, 'CommandNotFound', `no such command: '${command.name}'`);
    return await handler(command);
  } catch (error) {
    const { code, codeName, message, details } = toCommandError(error);
    if (code === 1) process.stderr.write(`${error instanceof Error ? (error.stack ?? message) : message}\n`);
    return serialize({ ok: 0, errmsg: message, code, codeName, ...details });
  }
}

function toCommand(request: Request, connectionId: number): Command {
  const [first] = elements(request.body);
  if (!first) throw new CommandError(59, 'CommandNotFound', 'an empty command');
  const database = request.kind === 'query' ? request.database : text(request.body, '$db');
  if (database === undefined)
    throw new CommandError(40571, 'Location40571', 'OP_MSG requests require a $db argument');
  const sequence = request.kind === 'message' ? request.sequence : undefined;
  return { name: first.name, database, body: request.body, connectionId, sequence };
}
