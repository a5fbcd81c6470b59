import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BackingServices, startBackingServices } from './backing-services.ts';
import { checkShapes, listedShapes, shapesSeenBy, writeShapes } from './command-shapes.ts';
import { linePrinter } from './report.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** The addresses of the backing services of the running local system, which tests share. Empty when none runs. */
function runningSystem(): Record<string, string> {
  const file = join(root, '.local', 'backing.json');
  if (!existsSync(file)) return {};
  const { pid, ...addresses } = JSON.parse(readFileSync(file, 'utf8')) as { pid: number } & Record<
    string,
    string
  >;
  try {
    process.kill(pid, 0);
    return addresses;
  } catch {
    return {};
  }
}

let services: BackingServices | undefined;
/** Where the Node processes of this run keep compiled sources. */
const compileCache = join(root, '.local', `test-${process.pid}-compiled`);

/** What a run of tests tells. Several projects of a run call `setup`; they share what the first call starts. */
interface Run {
  readonly vitest: {
    readonly filenamePattern?: string[];
    readonly config: { readonly testNamePattern?: RegExp };
  };
}

/**
 * Before all tests: provides backing services, from given addresses, from a running system, or private ones.
 *
 * @returns what ends them after all tests.
 */
export async function setup({ vitest }: Run): Promise<(() => Promise<void>) | undefined> {
  if (services) return undefined;
  process.env.NODE_COMPILE_CACHE = compileCache;
  services = await startBackingServices({
    dataDir: join(root, '.local', `test-${process.pid}`),
    env: { ...runningSystem(), ...process.env },
    report: linePrinter(process.stderr),
    ephemeral: true,
  });
  process.env.MONGODB_URI = services.mongodbUri;
  process.env.REDIS_URL = services.redisUrl;
  process.env.AMQP_URL = services.amqpUrl;
  return () => teardown(!vitest.filenamePattern && !vitest.config.testNamePattern);
}

/**
 * After all tests: stops what `setup` started, and compares the commands that were sent to MongoDB with the list of
 * command shapes. With `COMMAND_SHAPES=update` it writes the list instead: a run of all tests replaces the list, a run of
 * some tests adds new shapes.
 *
 * @throws when a command was sent whose shape is not in the list.
 */
async function teardown(isWhole: boolean): Promise<void> {
  let seen: string[] | undefined;
  try {
    if (services) seen = await shapesSeenBy(services.mongodbUri);
  } finally {
    await services?.stop();
    rmSync(compileCache, { recursive: true, force: true, maxRetries: 5 });
  }
  if (!seen) return;
  const listed = listedShapes();
  if (process.env.COMMAND_SHAPES === 'update') writeShapes(isWhole ? seen : [...listed, ...seen]);
  else checkShapes(seen, listed);
}
