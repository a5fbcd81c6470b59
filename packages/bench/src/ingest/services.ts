import { fileURLToPath } from 'node:url';
import { eventTopology, identityHeader, signalsWriteScope } from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import { addressOf, type ServiceProcess, spawnService, type TestStack, testKeyPair } from '@sigcast/testing';
import { connect } from 'amqplib';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** A service under measurement. */
export type Running = { readonly url: string; readonly process: ServiceProcess };

/** Starts signals and stats as processes on one stack. */
export function ingestServices(scope: AsyncDisposableStack, stack: TestStack) {
  const gateway = testKeyPair();
  const operator = testKeyPair();
  const common = {
    MONGODB_URI: stack.mongodbUri,
    AMQP_URL: stack.amqpUrl,
    BROKER_NAMESPACE: stack.namespace,
    GATEWAY_PUBLIC_KEYS: gateway.publicKey,
    PORT: '0',
    LOG_LEVEL: 'info',
  };
  const start = async (
    name: 'signals' | 'stats',
    settings: Readonly<Record<string, string>>,
  ): Promise<Running> => {
    const env = { ...common, MONGODB_DATABASE: stack.database(name), ...settings };
    const process = scope.use(spawnService(`${root}services/${name}/src/main.ts`, env));
    return { url: await addressOf(process), process };
  };
  const claims = { subject: 'acct_bench', scopes: [signalsWriteScope], ttlS: 3_600 };
  const producer = identitySigner('operator', operator.privateKey, 'signals')(claims);
  return {
    signals: (settings: Readonly<Record<string, string>> = {}) =>
      start('signals', { OPERATOR_PUBLIC_KEYS: operator.publicKey, ...settings }),
    stats: () => start('stats', {}),
    /** Headers of a producer, and of a client of stats behind the gateway. */
    producer: { Authorization: `Bearer ${producer}` },
    client: { [identityHeader]: identitySigner('gateway', gateway.privateKey, 'stats')(claims) },
  };
}

/** The events that relays have published: messages in queues that no process of the bench consumes. */
export async function publishedEvents(scope: AsyncDisposableStack, stack: TestStack) {
  const model = await connect(stack.amqpUrl);
  scope.defer(() => model.close());
  const channel = await model.createChannel();
  const { fanout, bulkFanout, stats } = eventTopology(stack.namespace);
  return {
    count: async () => {
      let count = 0;
      for (const { queue } of [fanout, bulkFanout]) count += (await channel.checkQueue(queue)).messageCount;
      return count;
    },
    clear: async () => {
      for (const { queue } of [fanout, bulkFanout, stats]) await channel.purgeQueue(queue);
    },
  };
}

/** A signal as producers send it. */
export function newSignal(mcapEntry = 100_000) {
  return {
    token: {
      symbol: 'NOVA',
      name: 'Nova',
      contract: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
      age_hours: 12.5,
      dex_paid: true,
      socials: { twitter: 'https://x.com/nova', website: 'https://nova.example.com' },
    },
    metrics: { mcap_entry: mcapEntry, volume_24h: 55_000.5, holders: 412, liquidity: 31_000 },
    type: 'new',
    is_premium: false,
  };
}
