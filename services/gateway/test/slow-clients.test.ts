import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ByteBudget } from '@sigcast/http';
import { eventually } from '@sigcast/testing';
import { describe, expect, it, vi } from 'vitest';
import { SlowClient } from '../src/proxy/slow-clients.ts';

const chunk = Buffer.alloc(64 * 1024, 'x');
/** More than the operating system buffers of a connection. */
const tooMuch = Buffer.alloc(8 * 1024 * 1024, 'x');

const limits = (stalledMs: number, maxBytes = 1_000_000_000) => ({
  budget: new ByteBudget(maxBytes),
  stalledMs,
});
const ignored = () => undefined;

/** The answer to a client that reads nothing, and the client's socket. */
async function stalled(scope: AsyncDisposableStack): Promise<{ res: ServerResponse; client: Socket }> {
  const server = createServer();
  // Not TCP: of a TCP connection the system may buffer 32 MB, and only then is it visible that the client does not read.
  const directory = await mkdtemp(join(tmpdir(), 'slow-clients-'));
  const path = join(directory, 'socket');
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const client = connect(path);
  scope.defer(async () => {
    client.destroy();
    server.close();
    server.closeAllConnections();
    await rm(directory, { recursive: true });
  });
  client.pause();
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [, res] = (await once(server, 'request')) as [unknown, ServerResponse];
  return { res, client };
}

describe('a client that reads slower than the service writes', () => {
  it('is disconnected when it reads nothing for the given time', async () => {
    await using scope = new AsyncDisposableStack();
    const { res } = await stalled(scope);
    expect(res.write(tooMuch)).toBe(false);
    new SlowClient(res, limits(50), ignored).mustPause(false);
    await eventually(() => expect(res.destroyed).toBe(true));
  });

  it('is not disconnected when it reads on in time', async () => {
    await using scope = new AsyncDisposableStack();
    const { res, client } = await stalled(scope);
    expect(res.write(tooMuch)).toBe(false);
    const taken = new Promise<void>((resolve) => {
      new SlowClient(res, limits(30_000), resolve).mustPause(false);
    });
    client.resume();
    await taken;
    res.end();
    await once(res, 'close');
    expect(res.writableFinished).toBe(true);
  });

  it('is not disconnected while it reads steadily, however long that takes, also after the end of the answer', async () => {
    await using scope = new AsyncDisposableStack();
    const { res, client } = await stalled(scope);
    expect(res.write(tooMuch)).toBe(false);
    const stalledMs = 1_000;
    const startedAt = performance.now();
    new SlowClient(res, limits(stalledMs), ignored).mustPause(false);
    res.end();
    let received = 0;
    // At most 64 kB every 20 ms.
    client.on('data', (data: Buffer) => {
      received += data.length;
      client.pause();
      setTimeout(() => client.resume(), 20);
    });
    client.resume();
    await eventually(() => expect(res.closed).toBe(true));
    expect(res.writableFinished).toBe(true);
    await eventually(() => expect(received).toBeGreaterThan(tooMuch.length));
    expect(performance.now() - startedAt).toBeGreaterThan(2 * stalledMs);
  });

  it('is disconnected when it reads nothing after the end of the answer', async () => {
    await using scope = new AsyncDisposableStack();
    const { res } = await stalled(scope);
    expect(res.write(tooMuch)).toBe(false);
    new SlowClient(res, limits(50), ignored).mustPause(false);
    res.end();
    await eventually(() => expect(res.destroyed).toBe(true));
  });

  it('is disconnected when it reads steadily, but less than 1 kB a second', () => {
    vi.useFakeTimers();
    const handle = { bytesWritten: 500_000, writeQueueSize: 400_000 };
    const destroy = vi.fn();
    const res = Object.assign(new EventEmitter(), {
      writableLength: 400_000,
      hasHeader: () => false,
      req: { socket: { _handle: handle, destroy } },
    }) as unknown as ServerResponse;
    new SlowClient(res, limits(30_000), ignored).mustPause(false);
    const takePerSecond = (bytes: number) => {
      for (let second = 0; second < 60; second += 1) {
        handle.writeQueueSize -= bytes;
        vi.advanceTimersByTime(1_000);
      }
    };
    takePerSecond(1_001);
    expect(destroy).not.toHaveBeenCalled();
    takePerSecond(900);
    expect(destroy).toHaveBeenCalled();
    res.emit('close');
    vi.useRealTimers();
  });

  it('is disconnected when it waits for the longest time and all together are over the budget of the process', async () => {
    await using scope = new AsyncDisposableStack();
    const all = limits(30_000, 2.5 * tooMuch.length);
    const answers: ServerResponse[] = [];
    for (let i = 0; i < 3; i += 1) {
      const { res } = await stalled(scope);
      res.write(tooMuch);
      new SlowClient(res, all, ignored).mustPause(false);
      answers.push(res);
    }
    await eventually(() => expect(answers.map(({ destroyed }) => destroyed)).toEqual([true, false, false]));
  });

  it('makes a stream pause at once, and another answer only above the bound of the buffer', async () => {
    await using scope = new AsyncDisposableStack();
    const { res } = await stalled(scope);
    const slow = new SlowClient(res, limits(30_000), ignored);
    res.write(chunk);
    expect(slow.mustPause(true)).toBe(true);
    while (!slow.mustPause(false)) res.write(chunk);
    // More than our longest answer, and not much more.
    expect(res.writableLength).toBeGreaterThan(400 * 1024);
    expect(res.writableLength).toBeLessThan(700 * 1024);
  });
});
