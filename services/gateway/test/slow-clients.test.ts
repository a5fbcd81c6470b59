import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@sigcast/testing';
import { SlowClient } from '../src/proxy/slow-clients.ts';

const chunk = Buffer.alloc(64 * 1024, 'x');
/** More than the system holds of a connection. */
const tooMuch = Buffer.alloc(32 * 1024 * 1024, 'x');

/** The answer to a client that takes nothing, and the client's socket. */
async function stalled(scope: AsyncDisposableStack): Promise<{ res: ServerResponse; client: Socket }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  scope.defer(() => {
    client.destroy();
    server.close();
    server.closeAllConnections();
  });
  client.pause();
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [, res] = (await once(server, 'request')) as [unknown, ServerResponse];
  return { res, client };
}

describe('a client that takes nothing of its answer', () => {
  it('is cut after the time it has', async () => {
    await using scope = new AsyncDisposableStack();
    const { res } = await stalled(scope);
    expect(res.write(tooMuch)).toBe(false);
    new SlowClient(res, 50, () => undefined).waits(tooMuch.length, false);
    await eventually(() => expect(res.destroyed).toBe(true));
  });

  it('is not cut when it goes on in time', async () => {
    await using scope = new AsyncDisposableStack();
    const { res, client } = await stalled(scope);
    expect(res.write(tooMuch)).toBe(false);
    const taken = new Promise<void>((resolve) => {
      new SlowClient(res, 30_000, resolve).waits(tooMuch.length, false);
    });
    client.resume();
    await taken;
    res.end();
    await once(res, 'close');
    expect(res.writableFinished).toBe(true);
  });

  it('holds no connection to the service for an answer with an end, up to a bound; for a stream at once', async () => {
    await using scope = new AsyncDisposableStack();
    const { res } = await stalled(scope);
    const slow = new SlowClient(res, 30_000, () => undefined);
    expect(slow.waits(chunk.length, true)).toBe(true);
    let held = chunk.length;
    for (; !slow.waits(chunk.length, false); held += chunk.length);
    // More than the longest answer of ours, and not much more.
    expect(held).toBeGreaterThan(400 * 1024);
    expect(held).toBeLessThan(700 * 1024);
  });
});
