import { z } from 'zod';

/** Addresses of the backing services, set by the test runner's global setup. */
const schema = z.object({ MONGODB_URI: z.string(), REDIS_URL: z.string(), AMQP_URL: z.string() });

/** @throws when the tests were not started through the test command, which brings the backing services up. */
export function backingAddresses() {
  const parsed = schema.safeParse(process.env);
  if (!parsed.success) throw new Error('no backing services: run the tests with `npx pnpm@12 test`');
  return {
    mongodbUri: parsed.data.MONGODB_URI,
    redisUrl: parsed.data.REDIS_URL,
    amqpUrl: parsed.data.AMQP_URL,
  };
}

/**
 * How often a random test runs: a quarter of `full`, or all of it with `MODELS=full`. The seed is another one each time;
 * failures print it, and `MODEL_SEED` gives it again. For fast-check's `assert`, and for other generators.
 */
export function modelRuns(full: number): { readonly numRuns: number; readonly seed: number } {
  const { MODELS, MODEL_SEED } = process.env;
  return {
    numRuns: MODELS === 'full' ? full : Math.ceil(full / 4),
    seed: MODEL_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(MODEL_SEED),
  };
}
