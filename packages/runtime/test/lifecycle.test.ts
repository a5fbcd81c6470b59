import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';

jest.setTimeout(20_000);

const entry = new URL('./fixtures/service.ts', import.meta.url).pathname;

/** Runs the sample service to its end; with a signal, sends it once the service has started. */
async function run(mode: string, signal?: NodeJS.Signals): Promise<{ code: unknown; lines: string[] }> {
  const child = spawn(process.execPath, [entry, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    lines.push(...text.split('\n').filter(Boolean));
    if (signal && text.includes('started')) child.kill(signal);
  });
  const [code] = (await once(child, 'close')) as [unknown];
  return { code, lines };
}

const releasedInReverse = ['released second', 'released first'];

describe('a service', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'releases what it acquired in reverse and exits 0 on %s',
    async (signal) => {
      expect(await run('', signal)).toEqual({ code: 0, lines: ['started', ...releasedInReverse] });
    },
  );

  it("exits 1 when it can't start, releasing what it had", async () => {
    expect(await run("can't start")).toEqual({ code: 1, lines: releasedInReverse });
  });

  it.each(['rejects', 'throws'])('exits 1 after an error that nobody handles: %s', async (mode) => {
    expect(await run(mode)).toEqual({ code: 1, lines: ['started', ...releasedInReverse] });
  });

  it('exits 1 when a release fails, and releases the rest all the same', async () => {
    expect(await run('breaks', 'SIGTERM')).toEqual({ code: 1, lines: ['started', ...releasedInReverse] });
  });

  it('exits 1 when a release hangs past the deadline', async () => {
    expect(await run('hangs', 'SIGTERM')).toEqual({ code: 1, lines: ['started'] });
  });
});
