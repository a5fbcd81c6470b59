import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { nodeEnvironment } from '../node-environment.ts';
import { operatorEntryOf } from './process-spec.ts';

const run = promisify(execFile);

/**
 * Runs an operator command of the gateway and returns what it printed as JSON.
 * @throws with the command's own message when it fails.
 */
export async function operator<T>(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<T> {
  try {
    const { stdout } = await run(process.execPath, [operatorEntryOf('gateway'), ...args, '--json'], {
      env: nodeEnvironment(env),
    });
    return JSON.parse(stdout) as T;
  } catch (cause) {
    throw new Error(`operator ${args.slice(0, 2).join(' ')}: ${saidBy(cause)}`, { cause });
  }
}

/** The command's own message, from its JSON output or else from its standard error. */
function saidBy(failure: unknown): string {
  const { stdout = '', stderr = '' } = failure as { stdout?: string; stderr?: string };
  try {
    return (JSON.parse(stdout) as { error: { message: string } }).error.message;
  } catch {
    return stderr.trim() || String(failure);
  }
}
