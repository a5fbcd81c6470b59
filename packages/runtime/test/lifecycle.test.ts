import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';

vi.setConfig({ testTimeout: 20_000, hookTimeout: 20_000 });

const entry = new URL('./fixtures/service.ts', import.meta.url).pathname;

/** Runs the sample service to its end. Sends `signal` once the service has started, and `again` once it is stopping. */
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
    'a service releases its resources in reverse order and exits 0 on %s',
    async (signal) => {
      expect(await run('', signal)).toEqual({ code: 0, lines: ['started', ...releasedInReverse] });
    },
  );

  it("a service that can't start releases its resources and exits 1", async () => {
    expect(await run("can't start")).toEqual({ code: 1, lines: releasedInReverse });
  });

  it.each(['rejects', 'throws'])('a service exits 1 after an error that nobody handles: %s', async (mode) => {
    expect(await run(mode)).toEqual({ code: 1, lines: ['started', ...releasedInReverse] });
  });

  it('a service of which one release fails releases the others and exits 1', async () => {
    expect(await run('breaks', 'SIGTERM')).toEqual({ code: 1, lines: ['started', ...releasedInReverse] });
  });

  it('a service exits 1 when a release hangs past the deadline', async () => {
    expect(await run('hangs', 'SIGTERM')).toEqual({ code: 1, lines: ['started', 'stopping'] });
  });

  it('a service that is told to stop releases its resources, and does not end before the delay is over', async () => {
    const startedAt = performance.now();
    expect(await run('', 'SIGTERM', { delayMs: 1_500 })).toEqual({
      code: 0,
      lines: ['started', ...releasedInReverse],
    });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_500);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'a service that is told to stop again, by %s, ends at once',
    async (again) => {
      expect(await run('', 'SIGTERM', { delayMs: 60_000, again })).toEqual({
        code: 1,
        lines: ['started', 'stopping'],
      });
    },
  );

  it('an error that nobody handles ends the delay of a stopping service', async () => {
    expect(await run('throws while stopping', 'SIGTERM', { delayMs: 60_000 })).toEqual({
      code: 1,
      lines: ['started', ...releasedInReverse],
    });
  });
});
