import { addressOf, eventually, spawnService, testKeyPair, testStack } from '@sigcast/testing';
import { expect, it } from 'vitest';

const entryOf = (service: string) =>
  new URL(`../../../services/${service}/src/main.ts`, import.meta.url).pathname;

it.each(['stats', 'tracker'])(
  '%s serves without a broker, and says so',
  async (name) => {
    await using stack = testStack();
    await using service = spawnService(entryOf(name), {
      MONGODB_URI: stack.mongodbUri,
      MONGODB_DATABASE: stack.database(name),
      // Nobody listens there.
      AMQP_URL: 'amqp://127.0.0.1:1',
      BROKER_NAMESPACE: stack.namespace,
      GATEWAY_PUBLIC_KEYS: testKeyPair().publicKey,
      PORT: '0',
    });
    const url = await addressOf(service);
    await eventually(async () => {
      const answer = await fetch(`${url}/readyz`);
      expect([answer.status, await answer.json()]).toEqual([
        200,
        expect.objectContaining({ checks: expect.objectContaining({ broker: 'failing' }) }),
      ]);
    });
  },
  60_000,
);
