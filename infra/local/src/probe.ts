import { connect } from 'node:net';

/**
 * Connects to a port of the loopback address, sends `greeting` and tells whether the first answer satisfies
 * `accept`. Never rejects: a refused connection is a no.
 */
export function answers(
  port: number,
  greeting: string | Buffer,
  accept: (answer: Buffer) => boolean,
  timeoutMs = 1_000,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(timeoutMs, () => done(false));
    socket.once('connect', () => socket.write(greeting));
    socket.once('data', (data) => done(accept(data)));
    socket.once('error', () => done(false));
    socket.once('close', () => done(false));
  });
}
