import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@sigcast/testing';
import { SlowClient } from '../src/proxy/slow-clients.ts';

const chunk = Buffer.alloc(64 * 1024, 'x');
/** More than the system holds of a connection. */
const tooMuch = Buffer.alloc(8 * 1024 * 1024, 'x');

/** The answer to a client that takes nothing, and the client's socket. */
async function stalled(scope: AsyncDisposableStack): Promise<{ res: ServerResponse; client: Socket }> {
  const server = createServer();
  // Of a TCP connection the system may hold 32 MB, so that it is not to be seen for long whether the client reads.
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

describe('a client that takes its answer slower than it comes', () => {
  it('is cut after the time it has when it takes nothing', async () => {
    await using scope = new AsyncDisposableStack();
    const { res } = await stalled(scope);
    expect(res.write(tooMuch)).toBe(false);
    new SlowClient(res, 50, () => undefined).mustPause(tooMuch.length, false);
    await eventually(() => expect(res.destroyed).toBe(true));
  });

  it('is not cut when it goes on in time', async () => {
    await using scope = new AsyncDisposableStack();
    const { res, client } = await stalled(scope);
    expect(res.write(tooMuch)).toBe(false);
    const taken = new Promise<void>((resolve) => {
      new SlowClient(res, 30_000, resolve).mustPause(tooMuch.length, false);
    });
    client.resume();
    await taken;
    res.end();
    await once(res, 'close');
    expect(res.writableFinished).toBe(true);
  });

  it('is not cut while it takes steadily, however long all of it takes, also after the end of the answer', async () => {
    await using scope = new AsyncDisposableStack();
    const { res, client } = await stalled(scope);
    expect(res.write(tooMuch)).toBe(false);
    const stalledMs = 1_000;
    const startedAt = performance.now();
    new SlowClient(res, stalledMs, () => undefined).mustPause(tooMuch.length, false);
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

  it('is cut when it takes nothing after the end of the answer, too', async () => {
    await using scope = new AsyncDisposableStack();
    const { res } = await stalled(scope);
    expect(res.write(tooMuch)).toBe(false);
    new SlowClient(res, 50, () => undefined).mustPause(tooMuch.length, false);
    res.end();
    await eventually(() => expect(res.destroyed).toBe(true));
  });

  it('holds no connection to the service for an answer with an end, up to a bound; for a stream at once', async () => {
    await using scope = new AsyncDisposableStack();
    const { res } = await stalled(scope);
    const slow = new SlowClient(res, 30_000, () => undefined);
    expect(slow.mustPause(chunk.length, true)).toBe(true);
    let held = chunk.length;
    for (; !slow.mustPause(chunk.length, false); held += chunk.length);
    // More than the longest answer of ours, and not much more.
    expect(held).toBeGreaterThan(400 * 1024);
    expect(held).toBeLessThan(700 * 1024);
  });
});
