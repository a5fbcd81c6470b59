import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually, startTcpProxy, type TcpProxy } from '../src/index.ts';

describe('a TCP proxy', () => {
  let running: AsyncDisposableStack;
  let proxy: TcpProxy;
  beforeEach(async () => {
    running = new AsyncDisposableStack();
    const echo = (socket: Socket) => void socket.on('error', () => undefined).pipe(socket);
    const server = createServer(echo);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    running.defer(() => void server.close());
    proxy = running.use(
      await startTcpProxy({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }),
    );
  });
  afterEach(() => running.disposeAsync());

  const client = (): Socket =>
    running.adopt(connect(proxy.port, '127.0.0.1'), (socket) => {
      socket.destroy();
    });

  it('delays data by the time that is set, in each direction, and keeps the order of data', async () => {
    const socket = client();
    proxy.delay(150);
    const startedAt = performance.now();
    socket.write('1');
    await once(socket, 'data');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(300);
    let rest = '';
    socket.setEncoding('utf8').on('data', (said: string) => {
      rest += said;
    });
    for (const digit of '234') socket.write(digit);
    proxy.delay(0);
    for (const digit of '567') socket.write(digit);
    await eventually(() => expect(rest).toBe('234567'));
  });

  it('survives a connection that ends while its data is delayed, also if the process pauses in between', async () => {
    const socket = client();
    await once(socket, 'connect');
    proxy.delay(100);
    const now = performance.now.bind(performance);
    const still = vi.spyOn(performance, 'now').mockImplementation(() => {
      const at = now();
      while (now() < at + 20);
      return at;
    });
    running.defer(() => still.mockRestore());
    socket.write('late');
    while (still.mock.calls.length === 0) await pause(1);
    still.mockRestore();
    proxy.delay(0);
    socket.resume().end();
    await once(socket, 'close');
    // A timer that fires after the end of the connection would throw within the delay of 100 ms.
    await pause(200);
    const another = client();
    another.write('x');
    expect(String(await once(another, 'data'))).toBe('x');
  });

  it('forwards nothing while it hangs, and everything once afterwards', async () => {
    const socket = client();
    let heard = '';
    socket.setEncoding('utf8').on('data', (said: string) => {
      heard += said;
    });
    for (const round of ['1', '2', '3']) {
      socket.write(`before ${round} `);
      await eventually(() => expect(heard).toContain(`before ${round} `));
      proxy.hang();
      socket.write(`held ${round} `);
      await expect(
        eventually(() => expect(heard).toContain(`held ${round} `), { timeoutMs: 100 }),
      ).rejects.toThrow();
      proxy.restore();
      await eventually(() => expect(heard).toContain(`held ${round} `));
    }
    expect(heard).toBe('before 1 held 1 before 2 held 2 before 3 held 3 ');
  });

  it('counts the connections that are open and those that were made', async () => {
    const [first, second] = [client(), client()];
    await Promise.all([once(first, 'connect'), once(second, 'connect')]);
    second.write('x');
    await once(second, 'data');
    first.destroy();
    await once(first, 'close');
    second.write('y');
    await once(second, 'data');
    expect([proxy.connections, proxy.made]).toEqual([1, 2]);
  });
});
