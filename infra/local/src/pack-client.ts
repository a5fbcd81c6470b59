import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MachineLock } from './machine-lock.ts';

const run = promisify(execFile);
const client = join(import.meta.dirname, '..', '..', '..', 'packages', 'client');

/**
 * Builds and packs the API's client, as its README says. One process packs at a time, because all build into the same
 * folder.
 * @param dir an empty folder for the file.
 * @param program the package manager: `npm`, or the path of pnpm.
 * @returns the packed file.
 * @throws with the program's output when it fails.
 */
export async function packClient(dir: string, program = 'npm'): Promise<string> {
  await using _lock = await MachineLock.acquire(`pack ${client}`, () => undefined);
  await run(program, ['pack', '--pack-destination', dir], { cwd: client });
  const [file = ''] = readdirSync(dir);
  return join(dir, file);
}
