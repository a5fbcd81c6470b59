/**
 * The load generator, a process of its own: plain sockets, each with one request in flight at a time, so that it costs little
 * compared with the server it measures.
 */
import { connect } from 'node:net';
import { percentile, sendResult } from '../frame.ts';

export type LoadSpec = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly durationMs: number;
};

export type LoadResult = {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers by HTTP status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The part of one core that the generator itself used. */
  readonly cpuShare: number;
};

const spec = JSON.parse(process.argv[2] ?? '') as LoadSpec;
const target = new URL(spec.url);
const request = [
  `GET ${target.pathname}${target.search} HTTP/1.1`,
  `Host: ${target.host}`,
  ...Object.entries(spec.headers).map(([name, value]) => `${name}: ${value}`),
  '\r\n',
].join('\r\n');
const statuses: Record<string, number> = {};
const latenciesMs: number[] = [];
const startedAt = performance.now();
const endsAt = startedAt + spec.durationMs;

/** The length of the answer at the start of `bytes`; undefined while the answer is not complete. */
function answerLength(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, headEnd))?.[1];
  if (length === undefined) throw new Error('answers without Content-Length can not be measured');
  const total = headEnd + 4 + Number(length);
  return bytes.length < total ? undefined : total;
}

function client(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    let sentAt = 0;
    let received: Buffer = Buffer.alloc(0);
    const send = () => {
      sentAt = performance.now();
      socket.write(request);
    };
    socket.once('connect', send);
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const length = answerLength(received);
      if (length === undefined) return;
      const now = performance.now();
      latenciesMs.push(now - sentAt);
      const status = received.toString('latin1', 9, 12);
      statuses[status] = (statuses[status] ?? 0) + 1;
      received = received.subarray(length);
      if (now >= endsAt) {
        socket.destroy();
        resolve();
      } else send();
    });
    socket.once('error', reject);
    socket.once('end', () => reject(new Error('the server closed a connection under load')));
  });
}

await Promise.all(Array.from({ length: spec.connections }, client));
const elapsedMs = performance.now() - startedAt;
const result: LoadResult = {
  requests: latenciesMs.length,
  perSecond: (latenciesMs.length / elapsedMs) * 1_000,
  p50Ms: percentile(latenciesMs, 0.5),
  p99Ms: percentile(latenciesMs, 0.99),
  statuses,
  cpuShare: process.cpuUsage().user / 1_000 / elapsedMs,
};
sendResult(result);
