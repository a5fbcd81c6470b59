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

/** How many random histories a model test runs: `MODEL_HISTORIES`, 2,000 where it is not set. */
export function modelHistories(): number {
  return z.coerce.number().int().positive().default(2_000).parse(process.env.MODEL_HISTORIES);
}

/** Whether tests record the contracts of the present code (`RECORD_CONTRACTS=1`) before they compare. */
export function recordsContracts(): boolean {
  return process.env.RECORD_CONTRACTS === '1';
}
