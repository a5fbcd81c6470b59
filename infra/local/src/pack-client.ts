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
 * @returns the packed file.
 * @throws with pnpm's output when it fails, and where the process was not started by pnpm.
 */
export async function packClient(dir: string): Promise<string> {
  const pnpm = process.env.npm_execpath ?? '';
  if (!/pnpm/.test(pnpm)) throw new Error('Only a script of pnpm can pack the client');
  await using _lock = await MachineLock.acquire(`pack ${client}`, () => undefined);
  await run(pnpm, ['pack', '--pack-destination', dir], { cwd: client });
  const [file = ''] = readdirSync(dir);
  return join(dir, file);
}
