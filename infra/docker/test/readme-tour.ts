import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@sigcast/testing';

const run = promisify(execFile);
const readme = join(import.meta.dirname, '..', '..', '..', 'README.md');

/** The commands of README's tour, in its order. */
function commands(): readonly string[] {
  const text = readFileSync(readme, 'utf8');
  const tour = /^## Five minutes[\s\S]*?(?=^## )/m.exec(text)?.[0] ?? '';
  return [...tour.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '');
}

/**
 * Types README's tour into a shell, up to the webhook that arrives.
 * @returns what the receiver printed.
 * @throws when a command fails.
 */
export async function runTour(cwd: string, env: Record<string, string>): Promise<string> {
  const [where = '', reading = '', receiver = '', subscription = '', ingest = '', events = '', account = ''] =
    commands();
  const environment = { ...process.env, ...env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const type = async (command: string) => {
    const script = `set -euo pipefail\ncurl() { command curl --fail --silent --show-error "$@"; }\n${where}\n${command}`;
    return (await run('bash', ['-c', script], { cwd, env: environment })).stdout;
  };
  await type(reading);
  await type(receiver);
  const listening = spawn('bash', ['-c', `set -e\n${where}\n${subscription}`], {
    ...{ cwd, env: environment, detached: true },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  listening.stdout.on('data', (data: Buffer) => {
    said += data.toString();
  });
  try {
    await eventually(() => type(`exec 3<>/dev/tcp/$LISTEN/9000`), { timeoutMs: 30_000, everyMs: 200 });
    await type(ingest);
    await eventually(
      () => {
        if (!said.includes('NOVA')) throw new Error(`the receiver printed nothing of NOVA: ${said}`);
      },
      { timeoutMs: 60_000, everyMs: 100 },
    );
    // A stream goes on for ever: only that it begins is seen here.
    await type(events.replace(/^curl -N(.*)$/m, 'curl -N$1 --max-time 2 || test $? = 28'));
    await type(account);
  } finally {
    if (listening.pid !== undefined) process.kill(-listening.pid, 'SIGTERM');
  }
  return said;
}
