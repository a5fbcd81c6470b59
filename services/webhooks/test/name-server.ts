import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The addresses of a name by type of record. A query for a type that is absent gets no answer. */
export type Records = { readonly A?: readonly string[]; readonly AAAA?: readonly string[] };

/** A name server on loopback. A query for a name that it does not know gets no answer. */
export type NameServer = {
  /** As resolvers take it: `127.0.0.1:<port>`. */
  readonly server: string;
  /** The names that were queried, once per query. */
  readonly asked: readonly string[];
  /** The types of record that were queried. */
  readonly types: ReadonlySet<keyof Records>;
  /** The known names; a test may change them. */
  readonly names: Map<string, Records>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Starts a name server on a free port. The given names have the address 127.0.0.1. */
export async function startNameServer(...known: string[]): Promise<NameServer> {
  const asked: string[] = [];
  const types = new Set<keyof Records>();
  const names = new Map<string, Records>(known.map((name) => [name, { A: ['127.0.0.1'], AAAA: [] }]));
  const socket = createSocket('udp4', (query, peer) => {
    const { name, type, end } = questionOf(query);
    asked.push(name);
    const record = type === typeA ? 'A' : 'AAAA';
    types.add(record);
    const addresses = names.get(name)?.[record];
    if (!addresses) return;
    // RFC 1035, 4.1: the question is repeated; an answer names it by a pointer to byte 12.
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    const answers = addresses.map((address) => {
      const data = Buffer.from(ipaddr.parse(address).toByteArray());
      return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]), data]);
    });
    socket.send(Buffer.concat([header, query.subarray(12, end), ...answers]), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    server: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    asked,
    types,
    names,
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
