import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './eventually.ts';

const run = promisify(execFile);
const readme = join(import.meta.dirname, '..', '..', '..', 'README.md');

/** The shell samples of README.md, by heading of the second level. */
export function readmeSamples(): ReadonlyMap<string, readonly string[]> {
  const sections = readFileSync(readme, 'utf8').split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [heading = ''] = section.split('\n');
      const samples = [...section.matchAll(/^```(?!mermaid)\w*\n([\s\S]*?)^```$/gm)];
      return [heading, samples.map(([, text = '']) => text)] as const;
    }),
  );
}

/** The heading of README's tour. */
export const tourHeading = 'Five minutes, from the first request to a received webhook';

/**
 * Runs the tour of README.md in a shell, up to the arrival of a webhook.
 * @param env the environment; `LISTEN` is the receiver's address.
 * @param port the receiver's port, instead of the one in README.md.
 * @returns what the receiver printed.
 * @throws when a command fails, or the tour does not have eight samples.
 */
export async function runReadmeTour(
  cwd: string,
  env: Record<string, string>,
  port = '9000',
): Promise<string> {
  const samples = (readmeSamples().get(tourHeading) ?? []).map((text) => text.replaceAll('9000', port));
  if (samples.length !== 8) throw new Error(`README's tour has ${samples.length} samples`);
  const [
    where = '',
    reading = '',
    receiver = '',
    subscription = '',
    ingest = '',
    events = '',
    ending = '',
    account = '',
  ] = samples;
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  const environment = { ...process.env, PATH: path, ...env };
  const type = async (command: string) => {
    const script = `set -euo pipefail\ncurl() { command curl --fail --silent --show-error "$@"; }\n${where}\n${command}`;
    return (await run('bash', ['-c', script], { cwd, env: environment })).stdout;
  };
  await type(reading);
  await type(receiver);
  const listening = spawn('bash', ['-c', `set -e\n${where}\n${subscription}`], {
    cwd,
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  listening.stdout.on('data', (data: Buffer) => {
    said += data.toString();
  });
  try {
    await eventually(() => type(`exec 3<>/dev/tcp/$LISTEN/${port}`), { timeoutMs: 30_000, everyMs: 200 });
    await type(ingest);
    await eventually(
      () => {
        if (!said.includes('NOVA')) throw new Error(`the receiver printed nothing of NOVA: ${said}`);
      },
      { timeoutMs: 60_000, everyMs: 100 },
    );
    // A stream has no end: curl only has to connect to it within 2 s.
    await type(events.replace(/^curl -N(.*)$/m, 'curl -N$1 --max-time 2 || test $? = 28'));
    // The receiver runs in a shell of its own, which is ended below.
    await type(ending.replace(/^kill .*$/m, ''));
    await type(account);
  } finally {
    if (listening.pid !== undefined) process.kill(-listening.pid, 'SIGTERM');
  }
  return said;
}
