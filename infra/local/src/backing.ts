/**
 * Starts the backing services alone and prints their addresses for a shell; runs until interrupted.
 * Usage: node infra/local/src/backing.ts [directory for the data]
 */
import { resolve } from 'node:path';
import { startBackingServices } from './backing-services.ts';

const controller = new AbortController();
const interrupted = new Promise<void>((done) => {
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      controller.abort(new Error(`interrupted by ${name}`));
      done();
    });
  }
});

const report = (line: string) => process.stderr.write(`${line}\n`);
try {
  const services = await startBackingServices({
    dataDir: resolve(process.argv[2] ?? '.local/backing'),
    env: process.env,
    report,
    signal: controller.signal,
  });
  process.stdout.write(`export MONGODB_URI='${services.mongodbUri}'\n`);
  process.stdout.write(`export REDIS_URL='${services.redisUrl}'\nexport AMQP_URL='${services.amqpUrl}'\n`);
  const keepAlive = setInterval(() => undefined, 60_000);
  await interrupted;
  clearInterval(keepAlive);
  report('stopping');
  await services.stop();
} catch (error) {
  report(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
