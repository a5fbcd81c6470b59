import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';

jest.setTimeout(20_000);

const entry = new URL('./fixtures/service.ts', import.meta.url).pathname;

/**
 * Runs the sample service to its end; with a signal, sends it once the service has started; with another, sends that
 * as soon as it stops.
 */
async function run(
  mode: string,
  signal?: NodeJS.Signals,
  { delayMs = 0, again }: { delayMs?: number; again?: NodeJS.Signals } = {},
): Promise<{ code: unknown; lines: string[] }> {
  const child = spawn(process.execPath, [entry, mode, String(delayMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    lines.push(...text.split('\n').filter(Boolean));
    if (signal && text.includes('started')) child.kill(signal);
    if (again && text.includes('stopping')) child.kill(again);
  });
  const [code] = (await once(child, 'close')) as [unknown];
  return { code, lines };
}

const releasedInReverse = ['stopping', 'released second', 'released first'];

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
    expect(await run('hangs', 'SIGTERM')).toEqual({ code: 1, lines: ['started', 'stopping'] });
  });

  it('serves on for the delay before it releases anything', async () => {
    const startedAt = performance.now();
    expect(await run('', 'SIGTERM', { delayMs: 1_500 })).toEqual({
      code: 0,
      lines: ['started', ...releasedInReverse],
    });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_500);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'that is told to stop again, by %s, ends at once',
    async (again) => {
      expect(await run('', 'SIGTERM', { delayMs: 60_000, again })).toEqual({
        code: 1,
        lines: ['started', 'stopping'],
      });
    },
  );

  it('releases everything at once when an error that nobody handles comes while it serves on', async () => {
    expect(await run('throws while stopping', 'SIGTERM', { delayMs: 60_000 })).toEqual({
      code: 1,
      lines: ['started', ...releasedInReverse],
    });
  });
});
