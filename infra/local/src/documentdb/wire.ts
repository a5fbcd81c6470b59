import type { Socket } from 'node:net';

/** A message of MongoDB's wire protocol that a driver sends: OP_MSG, or OP_QUERY for the first handshake. */
export type Request =
  | {
      readonly kind: 'message';
      readonly requestId: number;
      readonly body: Buffer;
      readonly sequence?: Sequence;
      readonly answer: boolean;
    }
  | { readonly kind: 'query'; readonly requestId: number; readonly database: string; readonly body: Buffer };

/** A document sequence (section of kind 1): the concatenated documents of one array argument. */
export type Sequence = { readonly field: string; readonly documents: Buffer };

/** The peer does not follow the protocol, so its connection has to end. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const headerBytes = 16;

const checksumPresent = 1 << 0;
const moreToCome = 1 << 1;
/** The flags that a receiver has to understand. It may ignore the others. */
const requiredFlags = 0xffff;

/** MongoDB's own limit, which `hello` announces. */
export const maxMessageBytes = 48_000_000;

/** The messages of a connection, one by one. The socket is read only as fast as the caller takes messages. */
export async function* readMessages(socket: Socket): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let available = 0;
  let wanted = 4;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    available += chunk.length;
    while (available >= wanted) {
      const joined = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, available);
      const length = joined.readInt32LE(0);
      if (length < headerBytes || length > maxMessageBytes)
        throw new ProtocolError(`message of ${length} bytes`);
      chunks = [joined];
      if (available < length) {
        wanted = length;
        break;
      }
      const rest = joined.subarray(length);
      chunks = rest.length > 0 ? [rest] : [];
      available = rest.length;
      wanted = 4;
      yield joined.subarray(0, length);
    }
  }
}

/** @throws ProtocolError when the message is malformed or of a kind that is not served. */
export function parseRequest(message: Buffer): Request {
  const requestId = message.readInt32LE(4);
  const opCode = message.readInt32LE(12);
  if (opCode === OP_MSG) return parseMsg(message, requestId);
  if (opCode !== OP_QUERY) throw new ProtocolError(`operation ${opCode} is not supported`);
  const nameEnd = message.indexOf(0, headerBytes + 4);
  const namespace = message.toString('utf8', headerBytes + 4, nameEnd);
  const body = documentAt(message, nameEnd + 1 + 8, message.length);
  return { kind: 'query', requestId, database: namespace.split('.')[0] ?? '', body };
}

function parseMsg(message: Buffer, requestId: number): Request {
  const flags = message.readUInt32LE(headerBytes);
  if ((flags & requiredFlags & ~(checksumPresent | moreToCome)) !== 0)
    throw new ProtocolError(`flags ${flags}`);
  // The checksum is cut off and not compared: TCP over the loopback device is reliable.
  const end = message.length - ((flags & checksumPresent) !== 0 ? 4 : 0);
  let body: Buffer | undefined;
  let sequence: Sequence | undefined;
  for (let offset = headerBytes + 4; offset < end; ) {
    const kind = message[offset++];
    const length = offset + 4 <= end ? message.readInt32LE(offset) : -1;
    if (length < 5 || offset + length > end) throw new ProtocolError('a section exceeds its message');
    if (kind === 0 && body === undefined) {
      body = documentAt(message, offset, end);
    } else if (kind === 1 && sequence === undefined) {
      const nameEnd = message.indexOf(0, offset + 4);
      if (nameEnd < 0 || nameEnd >= offset + length) throw new ProtocolError('a section without a name');
      const field = message.toString('utf8', offset + 4, nameEnd);
      sequence = { field, documents: message.subarray(nameEnd + 1, offset + length) };
    } else {
      throw new ProtocolError(`unexpected section of kind ${kind}`);
    }
    offset += length;
  }
  if (body === undefined) throw new ProtocolError('a message without a body');
  const answer = (flags & moreToCome) === 0;
  return { kind: 'message', requestId, body, answer, ...(sequence === undefined ? {} : { sequence }) };
}

function documentAt(message: Buffer, offset: number, end: number): Buffer {
  const length = offset + 4 <= end ? message.readInt32LE(offset) : -1;
  if (length < 5 || offset + length > end) throw new ProtocolError('a document exceeds its message');
  return message.subarray(offset, offset + length);
}

/** A message with one document: a request when `responseTo` is 0, else the answer to that request. */
export function encodeMessage(document: Uint8Array, requestId: number, responseTo: number): Buffer {
  const message = Buffer.allocUnsafe(headerBytes + 5 + document.length);
  writeHeader(message, requestId, responseTo, OP_MSG);
  message.writeUInt32LE(0, headerBytes);
  message[headerBytes + 4] = 0;
  message.set(document, headerBytes + 5);
  return message;
}

/** The answer to an OP_QUERY. */
export function encodeReply(document: Uint8Array, requestId: number, responseTo: number): Buffer {
  const message = Buffer.alloc(headerBytes + 20 + document.length);
  writeHeader(message, requestId, responseTo, OP_REPLY);
  message.writeInt32LE(8, headerBytes);
  message.writeInt32LE(1, headerBytes + 16);
  message.set(document, headerBytes + 20);
  return message;
}

function writeHeader(message: Buffer, requestId: number, responseTo: number, opCode: number): void {
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(requestId, 4);
  message.writeInt32LE(responseTo, 8);
  message.writeInt32LE(opCode, 12);
}
