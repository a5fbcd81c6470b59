import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One event of one signal as one subscriber got it first, and how often the subscriber got it. */
type Entry = { readonly id: string; readonly hash: string; received: number };

/** Subscribers' endpoints on loopback that fail now and then, and record what they get. */
export type Ledger = AsyncDisposable & {
  readonly url: string;
  /** Requests so far. */
  readonly received: number;
  /** Different events that subscribers got so far. */
  readonly entries: number;
  /** Requests beyond the first for the same event and subscriber. */
  readonly duplicates: number;
  /** Repetitions that differed from the first in `webhook-id` or a byte of the body. */
  readonly differing: readonly string[];
  /** The keys among `expected` (see {@link entryKey}) that never came. */
  missing(expected: Iterable<string>): readonly string[];
  /** Resolves with the next request, before it is answered. */
  nextRequest(): Promise<void>;
};

/** The key of an event of a signal at a subscriber, which its path names. */
export function entryKey(path: string, event: string, signalId: string): string {
  return `${path} ${event} ${signalId}`;
}

/** Starts the endpoints. */
export async function startLedger(random: () => number): Promise<Ledger> {
  const entries = new Map<string, Entry>();
  const differing: string[] = [];
  let received = 0;
  let waiting: (() => void)[] = [];
  const note = (path: string, id: string, body: Buffer) => {
    const { event, data } = JSON.parse(body.toString()) as { event: string; data: { id: string } };
    const key = entryKey(path, event, data.id);
    const hash = createHash('sha256').update(body).digest('base64');
    const entry = entries.get(key) ?? { id, hash, received: 0 };
    if (entry.id !== id || entry.hash !== hash) differing.push(key);
    entry.received += 1;
    entries.set(key, entry);
    received += 1;
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      for (const resolve of waiting.splice(0)) resolve();
      // A request that is answered with a failure is recorded, too, since its repetition must be equal.
      note(request.url ?? '', String(request.headers['webhook-id']), Buffer.concat(chunks));
      answer(response, Number(request.headers['webhook-attempt']), random);
    });
    request.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get received() {
      return received;
    },
    get entries() {
      return entries.size;
    },
    get duplicates() {
      return received - entries.size;
    },
    differing,
    missing: (expected) => [...expected].filter((key) => !entries.has(key)),
    nextRequest: () =>
      new Promise((resolve) => {
        waiting = [...waiting, resolve];
      }),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers an attempt. Only the first two may fail, so that no delivery ends as failed. */
function answer(response: ServerResponse, attempt: number, random: () => number): void {
  const chance = attempt <= 2 ? random() : 1;
  if (chance < 0.003) return; // never answers
  if (chance < 0.015) response.socket?.destroy();
  else if (chance < 0.05) response.writeHead(500).end();
  else response.writeHead(200).end();
}
