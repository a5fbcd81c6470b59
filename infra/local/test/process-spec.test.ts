import { expect, it } from 'vitest';
import { environmentOf, keyFilesIn, metricsNames, processNames } from '../src/system/process-spec.ts';

it('the local system lets webhooks use no port of its own processes, of its stores and of its broker', () => {
  const names = [...processNames, ...metricsNames];
  const ports = Object.fromEntries(names.map((name, at) => [name, 20_001 + at])) as Record<
    (typeof names)[number],
    number
  >;
  const stores = {
    mongodbUri: 'mongodb://user:12@127.0.0.1:30001,127.0.0.1:30002/?directConnection=true',
    redisUrl: 'redis://127.0.0.1',
    amqpUrl: 'amqp://sigcast:34@127.0.0.1:30003',
    furtherPorts: [30_004],
    namespace: '',
  };
  const system = { stores, keys: keyFilesIn('/keys'), ports, host: '127.0.0.1' };
  for (const name of ['webhooks-api', 'webhooks-worker'] as const) {
    const own = environmentOf(name, system).WEBHOOK_OWN_PORTS?.split(',').map(Number);
    expect(own?.toSorted()).toEqual(
      [...Object.values(ports), 30_001, 30_002, 30_003, 30_004, 27_017, 6_379, 5_672].toSorted(),
    );
  }
});
