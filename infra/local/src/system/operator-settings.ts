import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorProcess } from './operator-process.ts';
import { type OperatedService, operatedServices } from './process-spec.ts';
import type { System } from './system.ts';
import { writeWhole } from './write-whole.ts';

type Settings = Readonly<Record<string, string>>;

/** Services with commands that read from the signals service, for which they need a token. */
const readersOfSignals: ReadonlySet<OperatedService> = new Set(['stats', 'tracker']);

const fileIn = (dir: string) => join(dir, 'operator.json');

/** Writes the settings of operator commands for a running system. Only the file's owner may read it. `scanner`: more for its own. */
export function writeOperatorSettings(
  dir: string,
  system: Pick<System, 'settingsOf'>,
  scanner: Settings = {},
): void {
  const settings = operatedServices.map((service) => [
    service,
    { ...system.settingsOf(service), ...(service === 'scanner' && scanner) },
  ]);
  writeWhole(fileIn(dir), `${JSON.stringify(Object.fromEntries(settings), null, 2)}\n`);
}

/** Removes the settings: their presence means that the system runs. */
export function removeOperatorSettings(dir: string): void {
  rmSync(fileIn(dir), { force: true });
}

/**
 * The settings of an operator command for the local system. Undefined when that system does not run, or when the
 * environment names a store or a broker: a command never uses the data of two systems.
 */
export async function operatorSettings(
  dir: string,
  service: OperatedService,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Settings | undefined> {
  if (env.MONGODB_URI || env.AMQP_URL) return undefined;
  const local = readLocal(dir);
  if (local === undefined || !readersOfSignals.has(service)) return local?.[service];
  const scope = ['--subject', service, '--scope', 'signals:read'];
  using operator = new OperatorProcess();
  const { token } = await operator.run<{ token: string }>(['token', 'create', ...scope], local.gateway);
  return { ...local[service], SIGNALS_URL: local.gateway.SIGNALS_URL ?? '', SIGNALS_TOKEN: token };
}

type LocalSettings = Readonly<Record<OperatedService, Settings>>;

function readLocal(dir: string): LocalSettings | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(dir), 'utf8')) as LocalSettings;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
