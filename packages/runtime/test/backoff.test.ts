import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { backoffMs, pause, waitAtMost } from '../src/index.ts';

describe('backoffMs', () => {
  const range = (attempt: number) =>
    [() => 0, () => 0.999_999].map((random) =>
      Math.round(backoffMs(attempt, { firstMs: 100, maxMs: 1_000, random })),
    );

  it('a backoff doubles up to its maximum, with jitter on the upper half', () => {
    expect([1, 2, 4, 5, 60].map(range)).toEqual([
      [50, 100],
      [100, 200],
      [400, 800],
      [500, 1_000],
      [500, 1_000],
    ]);
  });

  it('a backoff stays at its maximum after any number of tries', () => {
    expect(range(5_000)).toEqual([500, 1_000]);
  });
});

describe('pause', () => {
  it('a pause ends as soon as it is aborted', async () => {
    const stopping = new AbortController();
    const pausing = pause(3_600_000, stopping.signal);
    stopping.abort();
    await expect(pausing).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('waitAtMost', () => {
  const never = new Promise<never>(() => undefined);

  it('waitAtMost ends with the result as soon as the work is done', async () => {
    await expect(waitAtMost(3_600_000, Promise.resolve('done'))).resolves.toBe('done');
  });

  it('waitAtMost ends without a result when the time is over', async () => {
    await expect(waitAtMost(1, never)).resolves.toBeUndefined();
  });

  it('waitAtMost counts an answer that came in time, although this process was too busy to read it', async () => {
    const server = createServer((socket) => void socket.end('answer')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const socket = connect(port, '127.0.0.1');
    await Promise.all([once(server, 'connection'), once(socket, 'connect')]);
    const answered = once(socket, 'data');
    const waiting = waitAtMost(1, answered);
    const until = performance.now() + 20;
    while (performance.now() < until);
    expect(String((await waiting)?.[0])).toBe('answer');
    server.close();
  });

  it('waitAtMost throws the error of the work', async () => {
    await expect(waitAtMost(3_600_000, Promise.reject(new Error('no use')))).rejects.toThrow('no use');
  });
});
