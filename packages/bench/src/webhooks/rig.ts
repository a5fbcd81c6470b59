import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { identityHeader, type SignalType } from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import { type ProcessName, type System, startSystem } from '@sigcast/local';
import { addressOf, eventually, type ServiceProcess, spawnService } from '@sigcast/testing';
import { benchStores } from '../bench-stores.ts';
import { type StoreView, storeView } from '../store-view.ts';

/** An account may have this many subscriptions. */
export const mostPerAccount = 20;

const workerEntry = fileURLToPath(
  new URL('../../../../services/webhooks/src/main-worker.ts', import.meta.url),
);

export type RigOptions = {
  /** Subscriptions of each account; as many as it may have unless given. */
  readonly perAccount?: number;
  /** Further settings of all processes. */
  readonly settings?: Readonly<Record<string, string>>;
};

/** The whole system on stores of its own, and its subscribers in this process. */
export type Rig = {
  readonly system: System;
  readonly store: StoreView;
  /** Subscribes endpoints (`/0`, `/1`, …) until there are `count`, to `signal.new` or other events, of all or some types. */
  subscribe(
    count: number,
    which?: {
      readonly events?: readonly string[];
      readonly types?: readonly SignalType[];
      readonly ordered?: boolean;
    },
  ): Promise<void>;
  /** Writes live signals, whose names are their numbers. Resolves when the service has taken them. */
  write(numbers: readonly number[], type?: SignalType): Promise<void>;
  /** Imports signals, so that their events are bulk. Resolves when the service has taken them. */
  import(numbers: readonly number[], type?: SignalType): Promise<void>;
  /** Starts a further worker. Resolves when it is ready; it takes its share of the subscriptions some seconds later. */
  startWorker(): Promise<ServiceProcess>;
  /** Called with every webhook, to answer it. Default: answers 200 at once. */
  onWebhook: (webhook: Webhook, response: ServerResponse) => void;
};

export type Webhook = {
  readonly path: string;
  /** The signal's number, as given to `write`. */
  readonly signal: number;
  readonly attempt: number;
  /** `performance.now()` when its first byte arrived. */
  readonly at: number;
};

/** Starts the system and the endpoints of its subscribers, until `scope` ends. */
export async function startRig(
  scope: AsyncDisposableStack,
  report: (line: string) => void,
  { perAccount = mostPerAccount, settings = {} }: RigOptions = {},
): Promise<Rig> {
  const { dataDir, backing } = await benchStores(scope, { env: {}, report });
  const store = await storeView(scope, backing.mongodbUri, 'sigcast');
  const overrides = { LOG_LEVEL: 'warn', ...settings };
  const system = scope.use(
    await startSystem({
      stores: { ...backing, namespace: '' },
      dataDir,
      overrides,
      report: () => undefined,
    }),
  );
  const { token } = await system.operator<{ token: string }>(
    ...['token', 'create', '--subject', 'bench', '--scope', 'signals:write'],
  );
  const ports = JSON.parse(await readFile(join(dataDir, 'service-ports.json'), 'utf8')) as Ports;
  const identity = identitySigner(
    'gateway',
    await readFile(join(dataDir, 'keys', 'gateway-identity.private.pem'), 'utf8'),
    'webhooks',
  );

  const produce = async (path: string, contentType: string, body: string) => {
    const answer = await fetch(`${system.signalsUrl}/internal/v1/signals${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': contentType },
      body,
    });
    const text = await answer.text();
    if (answer.status >= 300) throw new Error(`signals were refused: ${text}`);
  };

  let subscribed = 0;
  const rig: Rig = {
    system,
    onWebhook: (_webhook, response) => response.writeHead(200).end(),
    store,
    subscribe: async (count, { events = ['signal.new'], types, ordered } = {}) => {
      for (let n = subscribed; n < count; n++) {
        const answer = await fetch(`http://127.0.0.1:${ports['webhooks-api']}/v1/webhooks`, {
          method: 'POST',
          headers: {
            // The identity that the gateway would send, of as many accounts as are needed.
            [identityHeader]: identity({
              subject: `acct_bench${Math.floor(n / perAccount)}`,
              scopes: [],
              ttlS: 600,
              webhooks: perAccount,
            }),
            'content-type': 'application/json',
          },
          body: JSON.stringify({ url: `${url}/${n}`, events, types, ordered }),
        });
        if (answer.status !== 201) throw new Error(`not subscribed: ${await answer.text()}`);
        await answer.arrayBuffer();
      }
      subscribed = count;
    },
    startWorker: async () => {
      const worker = spawnService(workerEntry, {
        MONGODB_URI: backing.mongodbUri,
        MONGODB_DATABASE: 'sigcast_webhooks',
        AMQP_URL: backing.amqpUrl,
        PORT: '0',
        WEBHOOK_ALLOW_HTTP: 'true',
        WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
        WEBHOOK_PORTS: '1-65535',
        ...overrides,
        LOG_LEVEL: 'info',
      });
      scope.use(worker);
      const workerUrl = await addressOf(worker);
      await eventually(async () => {
        const { ok } = await fetch(`${workerUrl}/readyz`);
        if (!ok) throw new Error(`the worker is not ready:\n${worker.output()}`);
      });
      return worker;
    },
    write: async (numbers, type) => {
      await Promise.all(
        numbers.map((number) => produce('', 'application/json', JSON.stringify(signal(number, type)))),
      );
    },
    import: (numbers, type) => {
      const lines = numbers.map((number) => `${JSON.stringify(signal(number, type))}\n`);
      return produce('/import', 'application/x-ndjson', lines.join(''));
    },
  };

  const server = createServer((request, response) => {
    const at = performance.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as { data: { token: { name: string } } };
      const attempt = Number(request.headers['webhook-attempt']);
      rig.onWebhook({ path: request.url ?? '', signal: Number(body.data.token.name), attempt, at }, response);
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
  return rig;
}

type Ports = Readonly<Record<ProcessName, number>>;

function signal(number: number, type: SignalType = 'new') {
  return {
    token: {
      symbol: 'NOVA',
      name: String(number),
      contract: '0x0000000000000000000000000000000000000001',
      age_hours: 12.5,
      dex_paid: true,
      socials: { twitter: 'https://x.com/nova' },
    },
    metrics: { mcap_entry: 100_000, volume_24h: 50_000, holders: 321, liquidity: 20_000 },
    type,
    is_premium: false,
  };
}

/** The value below which this part of the values lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
