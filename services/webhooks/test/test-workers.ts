import { accountTopology, eventTopology, webhookTopology } from '@sigcast/contracts';
import {
  accountDeclarations,
  type Broker,
  connectBroker,
  eventDeclarations,
  webhookDeclarations,
} from '@sigcast/messaging';
import { type Logger, newId, silentLogger } from '@sigcast/runtime';
import type { TestStack } from '@sigcast/testing';
import type { Connection } from 'mongoose';
import { Registry } from 'prom-client';
import { addressPolicy } from '../src/sending/address-policy.ts';
import { type SenderOptions, sender } from '../src/sending/sender.ts';
import { startWorker } from '../src/worker.ts';
import { anyPort } from './any-port.ts';
import { testSealer } from './test-sealer.ts';

/** Short enough to wait for, in the shape of the real one: three retries. */
const delaysMs = [100, 150, 200];

/** Admits plain http and loopback addresses, at any port. */
export const developmentPolicy = addressPolicy({
  allowHttp: true,
  allowedNetworks: ['127.0.0.0/8'],
  ports: anyPort,
});

type WorkerOptions = Partial<SenderOptions> & {
  readonly maxInFlight?: number;
  readonly retryDelaysMs?: readonly number[];
  readonly registry?: Registry;
  readonly name?: string;
  readonly log?: Logger;
  /** The worker's connection to the store; that of all workers unless given. */
  readonly connection?: Connection;
  /** Called for each message that the worker publishes. */
  readonly onPublish?: () => void;
};

/** Workers on the stores of a test. */
export type TestWorkers = {
  /** Starts a worker, which {@link TestWorkers.endWorkers} ends. */
  startWorker(options?: WorkerOptions): Promise<AsyncDisposable>;
  /** Ends the workers that were started and have not ended. */
  endWorkers(): Promise<void>;
};

/** What the broker of a namespace has for webhooks. */
export const declarations = (namespace: string) => [
  ...eventDeclarations(eventTopology(namespace)),
  ...accountDeclarations(accountTopology(namespace)),
  ...webhookDeclarations(webhookTopology(namespace)),
];

export function testWorkers({ amqpUrl, namespace }: TestStack, connection: Connection): TestWorkers {
  const workers = new Set<AsyncDisposableStack>();
  return {
    startWorker: async ({
      maxInFlight = 10,
      retryDelaysMs = delaysMs,
      registry = new Registry(),
      name = newId('host'),
      log = silentLogger(),
      connection: ownConnection = connection,
      onPublish,
      ...options
    } = {}) => {
      const own = new AsyncDisposableStack();
      const sending = sender({ policy: developmentPolicy, secrets: testSealer, now: Date.now, ...options });
      own.defer(() => sending.close());
      const declare = declarations(namespace);
      const broker = await connectBroker({ urls: [amqpUrl], name: 'worker', declare }, log, own);
      const deps = {
        broker: onPublish ? watchedBroker(broker, onPublish) : broker,
        connection: ownConnection,
        sender: sending,
        namespace,
        name,
        log,
        registry,
        retryDelaysMs,
        maxInFlight,
        maxPerHost: 500,
        maxAttempts: 4_000,
      };
      await startWorker(deps, own);
      workers.add(own);
      own.defer(() => void workers.delete(own));
      return own;
    },
    endWorkers: async () => {
      for (const worker of workers) await worker.disposeAsync();
    },
  };
}

/** A broker that calls `onPublish` for each message. */
function watchedBroker(broker: Broker, onPublish: () => void): Broker {
  // The original is the prototype, so that `connected` stays a getter.
  return Object.assign(Object.create(broker) as Broker, {
    publish: (message: Parameters<Broker['publish']>[0]) => {
      onPublish();
      return broker.publish(message);
    },
  });
}
