/**
 * Waits until the system answers through the load balancer, creates an account, an API key and tokens, once, and prints how
 * to reach everything.
 */
import { chmodSync, chownSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { banner, credentials, OperatorProcess, writeDemoFile } from '@sigcast/local';
import { configOrExit, readConfig, settings } from '@sigcast/runtime';
import { z } from 'zod';

const config = configOrExit(() =>
  readConfig(
    {
      PUBLIC_URL: settings.url('http:', 'https:'),
      PUBLIC_INGEST_URL: settings.url('http:', 'https:'),
      DEMO_FILE: z.string().min(1),
    },
    process.env,
  ),
);
const inside = { gatewayUrl: 'http://load-balancer:8080', signalsUrl: 'http://load-balancer:8081' };
const outside = { gatewayUrl: config.PUBLIC_URL, signalsUrl: config.PUBLIC_INGEST_URL };
/** All services start meanwhile, which takes half a minute on a busy machine with two cores. */
const timeoutMs = 180_000;

/** Why a service is not ready; undefined when it is. */
async function problemAt(url: string): Promise<string | undefined> {
  try {
    const { status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
    return status === 200 ? undefined : `${url}/readyz answers ${status}`;
  } catch (error) {
    return `${url}/readyz: ${(error as Error).message}`;
  }
}

/** Waits for all services that the first requests need. @throws with the problem of each that is not ready. */
async function waitForServices(): Promise<void> {
  const services = ['stats', 'webhooks-api', 'tracker'].map((name) => `http://${name}:8080`);
  // The load balancer is ready when the gateway and signals are.
  const all = [...services, 'http://load-balancer:9090'];
  for (const deadline = Date.now() + timeoutMs; ; await delay(100)) {
    const problems = (await Promise.all(all.map(problemAt))).filter((problem) => problem !== undefined);
    if (problems.length === 0) return;
    if (Date.now() > deadline) {
      throw new Error(
        `The system is not ready after ${timeoutMs / 1_000} s; see docker compose logs:\n  ${problems.join('\n  ')}`,
      );
    }
  }
}

await waitForServices();
const environment = Object.fromEntries(
  Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
);
using operator = new OperatorProcess();
const run = <T>(...args: string[]) => operator.run<T>(args, environment);
const known = await credentials('/demo/credentials.json', { ...inside, operator: run });
for (const [file, token] of [
  ['/market/ingest-token', known.ingestToken],
  ['/tracker-poller/signals-token', known.trackerToken],
  ['/scanner/signals-token', known.scannerToken],
] as const) {
  writeFileSync(file, token, { mode: 0o400 });
  chownSync(file, 1000, 1000);
}
writeDemoFile('/demo/demo.json', outside, known);
const { uid, gid } = statSync('/owner');
chmodSync('/demo', 0o700);
for (const path of ['/demo', ...readdirSync('/demo').map((name) => `/demo/${name}`)])
  chownSync(path, uid, gid);
const ending =
  'docker compose stop ends everything and keeps the data; docker compose logs shows what services say.';
process.stdout.write(`${banner(outside, known, { demoFile: config.DEMO_FILE }, ending)}\n`);
