import type { World } from './harness.ts';

/** Everything in the gateway's database, and in its part of Redis, as text. */
export async function dumpStores({
  models,
  redis,
  stack,
}: World): Promise<{ readonly documents: string; readonly redis: string }> {
  const { db } = models.accounts;
  const names = Object.values(models).map(
    (one) => ('modelName' in one ? one.collection : one).collectionName,
  );
  const documents = await Promise.all(names.map((name) => db.collection(name).find().toArray()));
  const keys = await redis.keys(`${stack.redisKeyPrefix}*`);
  const values = await Promise.all(
    keys.map(async (key) => {
      const name = key.slice(stack.redisKeyPrefix.length);
      const [text, fields, members] = await Promise.allSettled([
        redis.get(name),
        redis.hgetall(name),
        redis.zrange(name, '0', '-1'),
      ]);
      return [key, text, fields, members].map((part) =>
        typeof part === 'object' ? Object.values(part) : part,
      );
    }),
  );
  return { documents: JSON.stringify(documents), redis: JSON.stringify(values) };
}
