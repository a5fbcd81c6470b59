import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { identityHeader, type SignalType } from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import { eventually } from '@sigcast/testing';
import { signalOf } from './signals.ts';
import type { BenchSystem, Used } from './system.ts';

export type Webhook = {
  readonly path: string;
  /** The signal's number. */
  readonly signal: number;
  /** `performance.now()` when its first byte arrived. */
  readonly at: number;
};

/** Endpoints of subscribers in this process. They answer 200 at once. */
export type Receivers = {
  /** Their host's address. */
  readonly url: string;
  /** Called with every webhook. */
  onWebhook: (webhook: Webhook) => void;
  /** Subscribes an endpoint to `signal.new` of signals of a type, for an account. */
  subscribe(path: string, type: SignalType, account: string): Promise<void>;
};

/** Starts them, until `scope` ends. */
export async function startReceivers(
  scope: AsyncDisposableStack,
  { ports, keysDir }: BenchSystem,
): Promise<Receivers> {
  const answer = (response: ServerResponse) => response.writeHead(200).end();
  const server = createServer((request, response) => {
    const at = performance.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as { data: { token: { name: string } } };
      answer(response);
      receivers.onWebhook({ path: request.url ?? '', signal: Number(body.data.token.name), at });
    });
  });
  await new Promise<void>((resolve) =>
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, resolve),
  );
  scope.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const key = await readFile(join(keysDir, 'gateway-identity.private.pem'), 'utf8');
  const identity = identitySigner('gateway', key, 'webhooks');
  const receivers: Receivers = {
    url,
    onWebhook: () => undefined,
    subscribe: async (path, type, account) => {
      // The identity that the gateway would send: so many accounts would take long to sign up.
      const subject = { subject: `acct_${account}`, scopes: [], ttlS: 600, webhooks: 20 };
      const created = await fetch(`http://127.0.0.1:${ports['webhooks-api']}/v1/webhooks`, {
        method: 'POST',
        headers: { [identityHeader]: identity(subject), 'content-type': 'application/json' },
        body: JSON.stringify({ url: url + path, events: ['signal.new'], types: [type] }),
      });
      if (created.status !== 201) throw new Error(`not subscribed: ${await created.text()}`);
      await created.arrayBuffer();
    },
  };
  return receivers;
}

/**
 * Writes `events` signals of a type at once, and waits until all their webhooks have arrived.
 * @returns webhooks a second from the first arrival to the last, and what was used.
 */
export async function burst(
  bench: BenchSystem,
  receivers: Receivers,
  { events, subscribers, type }: { events: number; subscribers: number; type: SignalType },
): Promise<{ readonly perSecond: number; readonly used: Used }> {
  const arrivals = arrivalsAt(receivers);
  const stop = await bench.measure();
  await Promise.all(Array.from({ length: events }, (_, n) => bench.produce('POST', '', signalOf(n, type))));
  const wanted = events * subscribers;
  await eventually(
    () => {
      if (arrivals.length < wanted) throw new Error(`${arrivals.length} of ${wanted} arrived`);
    },
    { timeoutMs: 120_000 },
  );
  return { perSecond: arrivalsPerSecond(arrivals), used: await stop() };
}

/** When webhooks arrive from now on. */
export function arrivalsAt(receivers: Receivers): readonly number[] {
  const arrivals: number[] = [];
  receivers.onWebhook = ({ at }) => arrivals.push(at);
  return arrivals;
}

/** Webhooks a second, from the first arrival to the last. */
export function arrivalsPerSecond(arrivals: readonly number[]): number {
  return (1_000 * arrivals.length) / ((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0));
}

/** How long live signals take from their writes to the first bytes at a receiver. */
export class Ways {
  readonly #sentAt = new Map<number, number>();
  readonly #ms = new Map<number, number>();

  /** The next signal's number; its write begins now. */
  next(): number {
    const number = this.#sentAt.size;
    this.#sentAt.set(number, performance.now());
    return number;
  }

  arrived({ signal, at }: Webhook): void {
    const sentAt = this.#sentAt.get(signal);
    if (sentAt !== undefined && !this.#ms.has(signal)) this.#ms.set(signal, at - sentAt);
  }

  /** Signals whose writes have begun. */
  get written(): number {
    return this.#sentAt.size;
  }

  /** @throws when some have not arrived. */
  requireAll(): void {
    if (this.#ms.size < this.written) throw new Error(`${this.#ms.size} of ${this.written} arrived`);
  }

  /** In milliseconds, those of the signals numbered from `first` on. */
  from(first: number): number[] {
    return [...this.#ms].filter(([number]) => number >= first).map(([, ms]) => ms);
  }
}
