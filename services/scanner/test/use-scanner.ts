import {
  identityHeader,
  type Origin,
  type ScannerState,
  type SignalDetail,
  scannerStateSchema,
  signalsReadScope,
  signalsWriteScope,
  systemReadScope,
} from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import {
  addressOf,
  type ServiceProcess,
  spawnService,
  type TestStack,
  testKeyPair,
  testStack,
} from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

const file = (path: string) => new URL(path, import.meta.url).pathname;

/** Starts a signals service for the tests of a file, and scanners that send to it, which end with their test. */
export function useScanner() {
  const keys = testKeyPair();
  const sign = identitySigner('operator', keys.privateKey, 'signals');
  const token = (subject: string, scope: string) => sign({ subject, scopes: [scope], ttlS: 3_600 });
  let stack: TestStack;
  let signals: ServiceProcess;
  let signalsUrl: string;
  const scanners: ServiceProcess[] = [];

  beforeAll(async () => {
    stack = testStack();
    signals = spawnService(file('../../signals/src/main.ts'), {
      MONGODB_URI: stack.mongodbUri,
      MONGODB_DATABASE: stack.database('signals'),
      AMQP_URL: stack.amqpUrl,
      BROKER_NAMESPACE: stack.namespace,
      GATEWAY_PUBLIC_KEYS: keys.publicKey,
      OPERATOR_PUBLIC_KEYS: keys.publicKey,
      PORT: '0',
    });
    signalsUrl = await addressOf(signals);
  }, 60_000);

  afterEach(async () => {
    await Promise.all(scanners.splice(0).map((each) => each[Symbol.asyncDispose]()));
  });

  afterAll(async () => {
    await signals?.[Symbol.asyncDispose]();
    await stack?.[Symbol.asyncDispose]();
  });

  /** Starts a scanner on the memory of this name. `more`: its sources, and what differs. */
  function startScanner(memory: string, more: Readonly<Record<string, string>>): ServiceProcess {
    const scanner = spawnService(file('../src/main.ts'), {
      MONGODB_URI: stack.mongodbUri,
      MONGODB_DATABASE: stack.database(memory),
      REDIS_URL: stack.redisUrl,
      REDIS_KEY_PREFIX: `${stack.redisKeyPrefix}${memory}:`,
      GATEWAY_PUBLIC_KEYS: keys.publicKey,
      SIGNALS_URL: signalsUrl,
      SIGNALS_TOKEN: token(memory, signalsWriteScope),
      SCANNER_CHAINS: 'base',
      SCANNER_LISTS_MS: '200',
      SCANNER_AGAIN_MS: '0',
      SCANNER_DEXSCREENER_LISTS_PER_MINUTE: '60000',
      SCANNER_DEXSCREENER_PER_MINUTE: '60000',
      SCANNER_GECKOTERMINAL_PER_MINUTE: '60000',
      SCANNER_LEASE_MS: '2000',
      PORT: '0',
      METRICS_PORT: '0',
      ...more,
    });
    scanners.push(scanner);
    return scanner;
  }

  /** What a signal rests on, as an account sees it. */
  async function originOf({ id }: SignalDetail): Promise<Origin | null> {
    const account = identitySigner(
      'gateway',
      keys.privateKey,
      'signals',
    )({ subject: 'acct_1', scopes: [], ttlS: 60 });
    const response = await fetch(`${signalsUrl}/v1/signals/${id}?include=origin`, {
      headers: { [identityHeader]: account },
    });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    return (JSON.parse(text) as { data: { origin: Origin | null } }).data.origin;
  }

  /** All signals of tokens whose contract begins so. */
  async function signalsOf(prefix: string): Promise<readonly SignalDetail[]> {
    const all: SignalDetail[] = [];
    for (let after = ''; ; ) {
      const response = await fetch(
        `${signalsUrl}/internal/v1/signals?limit=1000${after && `&after=${after}`}`,
        {
          headers: { authorization: `Bearer ${token('reader', signalsReadScope)}` },
        },
      );
      const { data, meta } = (await response.json()) as {
        data: { signal: SignalDetail }[];
        meta: { next_after: string | null };
      };
      all.push(...data.map(({ signal }) => signal));
      if (meta.next_after === null)
        return all.filter(({ token: { contract } }) => contract.startsWith(prefix));
      after = meta.next_after;
    }
  }

  /** What operators see of a scanner. */
  async function stateOf(scanner: ServiceProcess): Promise<ScannerState> {
    const asGateway = identitySigner('gateway', keys.privateKey, 'scanner');
    const identity = asGateway({ subject: 'acct_1', scopes: [systemReadScope], ttlS: 60 });
    const response = await fetch(`${await addressOf(scanner)}/internal/v1/state`, {
      headers: { authorization: `Bearer ${identity}` },
    });
    return scannerStateSchema.parse(((await response.json()) as { data: unknown }).data);
  }

  return { scanners, startScanner, signalsOf, originOf, stateOf };
}
