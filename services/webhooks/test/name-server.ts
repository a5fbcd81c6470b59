import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

/** A name server on loopback that answers 127.0.0.1 for the names it knows and keeps silent about all others. */
export type NameServer = {
  /** As resolvers take it: `127.0.0.1:<port>`. */
  readonly server: string;
  /** Names it was asked for, once per question. */
  readonly asked: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
};

/** Starts one on a free port. */
export async function startNameServer(...known: string[]): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4', (query, peer) => {
    const { name, type, end } = questionOf(query);
    asked.push(name);
    if (!known.includes(name)) return;
    const hasAddress = type === typeA;
    // RFC 1035, 4.1: the question is repeated; an answer names it by a pointer to byte 12.
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(hasAddress ? 1 : 0, 6);
    const answer = Buffer.from([0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
    socket.send(
      Buffer.concat([header, query.subarray(12, end), ...(hasAddress ? [answer] : [])]),
      peer.port,
      peer.address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    server: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

const typeA = 1;

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += length + 1;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}
