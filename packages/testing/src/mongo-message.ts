import { mongo } from 'mongoose';

const { serialize, deserialize } = mongo.BSON;

/** A command or a reply. */
export type MongoReply = Record<string, unknown>;

/** The opcode of OP_MSG, and the length of a message header. */
const opMsg = 2013;
const headerBytes = 16;

/** Splits the bytes of a connection into messages. Each begins with its length, 32 bits, little-endian. */
export function messageReader(take: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= headerBytes && rest.length >= rest.readInt32LE(0)) {
      const message = rest.subarray(0, rest.readInt32LE(0));
      rest = rest.subarray(message.length);
      take(message);
    }
  };
}

/** Whether a message is an OP_MSG. The first message of a driver is not. */
export function isMessage(message: Buffer): boolean {
  return message.readInt32LE(12) === opMsg;
}

/**
 * Decodes an OP_MSG (mongodb/specifications, "OP_MSG"): a body, and sections with the documents of one field.
 * @param options `exact`: values keep their BSON types, so that the command can be forwarded.
 */
export function decodeMessage(message: Buffer, { exact = false } = {}): MongoReply {
  const options = exact ? { promoteValues: false } : {};
  let command: MongoReply = {};
  for (let at = headerBytes + 4; at < message.length; ) {
    const kind = message[at++];
    const size = message.readInt32LE(at);
    if (kind === 0) {
      command = { ...(deserialize(message.subarray(at, at + size), options) as MongoReply), ...command };
    } else {
      const nameEnd = message.indexOf(0, at + 4);
      const documents: MongoReply[] = [];
      for (let from = nameEnd + 1; from < at + size; from += message.readInt32LE(from)) {
        const one = message.subarray(from, from + message.readInt32LE(from));
        documents.push(deserialize(one, options) as MongoReply);
      }
      command[message.toString('utf8', at + 4, nameEnd)] = documents;
    }
    at += size;
  }
  return command;
}

/** Encodes a document as an OP_MSG: a reply to the message `responseTo`, or a request with `requestId`. */
export function encodeMessage(
  document: MongoReply,
  { requestId = 1, responseTo = 0 }: { readonly requestId?: number; readonly responseTo?: number },
): Buffer {
  const body = serialize(document);
  const header = Buffer.alloc(headerBytes + 5);
  header.writeInt32LE(header.length + body.length, 0);
  header.writeInt32LE(requestId, 4);
  header.writeInt32LE(responseTo, 8);
  header.writeInt32LE(opMsg, 12);
  return Buffer.concat([header, body]);
}
