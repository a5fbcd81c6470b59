import { connect } from 'node:net';
import { serialize } from 'bson';
import { encodeMessage } from './documentdb/wire.ts';

/**
 * Connects to a port of the loopback address, sends `greeting`, and tells whether `accept` is true of the first bytes of
 * the answer. Never rejects: without an answer it is false.
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

const mongodbPing = encodeMessage(serialize({ ping: 1, $db: 'admin' }), 1, 0);

/** Whether something that speaks MongoDB's wire protocol serves on this port. */
export function mongodbAnswers(port: number): Promise<boolean> {
  return answers(port, mongodbPing, (answer) => answer.length > 16);
}

/** Whether Redis serves. It does so, too, if it asks for a password, but not while it still loads its data. */
export function redisAnswers(port: number): Promise<boolean> {
  return answers(port, 'PING\r\n', (answer) => /^(\+PONG|-NOAUTH)/.test(answer.toString()));
}

/** Whether RabbitMQ serves. It opens its listener last, when users, virtual hosts and queues are loaded. */
export function amqpAnswers(port: number): Promise<boolean> {
  return answers(port, Buffer.from('AMQP\x00\x00\x09\x01'), (answer) => answer[0] === 1);
}
