/**
 * The attackers, a process of their own: sockets that send a body one byte at a time, and sockets that go on sending requests
 * of an account over its limit. Prints `ready` when all have begun, and ends with its standard input, or after two
 * minutes. Usage: node attack-load.ts '{"origin":…}'
 */
import { connect, type Socket } from 'node:net';
import type { AttackSpec } from './bench-attack.ts';

const spec = JSON.parse(process.argv[2] ?? '') as AttackSpec;
const { hostname, port, host } = new URL(spec.origin);
const slowByteEveryMs = 2_000;
const reconnectAfterMs = 1_000;

function open(onOpen: (socket: Socket) => void, again: () => void): void {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.once('connect', () => onOpen(socket));
  socket.on('error', () => undefined);
  socket.once('close', () => setTimeout(again, reconnectAfterMs));
}

function sendSlowly(key: string): void {
  open(
    (socket) => {
      socket.write(
        `POST /v1/webhooks HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 90\r\n\r\n{',
      );
      const timer = setInterval(() => socket.write(' '), slowByteEveryMs);
      socket.once('close', () => clearInterval(timer));
      socket.resume();
    },
    () => sendSlowly(key),
  );
}

function keepAsking(key: string): void {
  open(
    (socket) => {
      const request = `GET /v1/signals HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      // After a pause of this process, intervals that were due fire together and stay together; random pauses spread them again.
      const pauseMs = () => spec.refusedEveryMs * 2 * Math.random();
      const ask = () => {
        socket.write(request);
        timer = setTimeout(ask, pauseMs());
      };
      let timer = setTimeout(ask, pauseMs());
      socket.once('close', () => clearTimeout(timer));
      socket.resume();
    },
    () => keepAsking(key),
  );
}

for (let i = 0; i < spec.slowSockets; i += 1) sendSlowly(spec.slowKeys[i % spec.slowKeys.length] ?? '');
for (let i = 0; i < spec.refusedSockets; i += 1) keepAsking(spec.exhaustedKey);
setTimeout(() => process.stdout.write('ready\n'), 2_000);
setTimeout(() => process.exit(), 120_000);
process.stdin.on('end', () => process.exit()).resume();
