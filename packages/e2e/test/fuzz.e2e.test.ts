import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { failureSchema } from '@sigcast/contracts';
import { apiChecker } from '@sigcast/testing';
import { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fuzzer, type FuzzRequest, type Known } from './fuzz-requests.ts';
import { type TestSystem, testSystem } from './system.ts';

/** Printed with every failure; the same seed makes the same requests. */
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const count = Number(process.env.FUZZ_REQUESTS ?? 20_000);
const rawCount = Math.ceil(count / 40);
const atOnce = 24;

let system: TestSystem;
let known: Known;

beforeAll(async () => {
  system = await testSystem({ TRUST_PROXY: 'true', WEBHOOK_ALLOW_HTTP: 'true', BODY_TIMEOUT_MS: '1000' });
  const signal = await system.ingest('POST', '', {
    token: { symbol: 'FUZZ', name: 'Fuzz', contract: '0x1', age_hours: 1 },
    metrics: { mcap_entry: 1_000, volume_24h: 1, holders: 1, liquidity: 1 },
    type: 'new',
    is_premium: false,
  });
  const webhook = await system.api('/v1/webhooks', {
    method: 'POST',
    body: JSON.stringify({ url: 'http://127.0.0.1:8080/', events: ['signal.new'] }),
  });
  const signUp = await fetch(`${system.gatewayUrl}/account`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'fuzz@sigcast.test', password: 'correct horse battery' }),
  });
  const { data } = (await signUp.json()) as { data: { access_token: string } };
  const key = await fetch(`${system.gatewayUrl}/account/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${data.access_token}` },
    body: JSON.stringify({ name: 'fuzz' }),
  });
  const made = (await key.json()) as { data: { id: string; key: string } };
  const idOf = ({ body }: { body: { data?: unknown } }) => (body.data as { id: string }).id;
  known = {
    keys: [system.apiKey, system.apiKey, system.apiKey, made.data.key],
    accessToken: data.access_token,
    signalId: idOf(signal),
    webhookId: idOf(webhook),
    keyId: made.data.id,
  };
}, 240_000);
afterAll(() => system[Symbol.asyncDispose]());

/** Messages of zod, which the API must not pass on. */
const validatorsWords =
  /Invalid (input|option|string|number|key)|Too (small|big)|Unrecognized|expected \w+, received/;

function unpacked(body: Buffer, coding: string | string[] | undefined): string {
  // An answer to HEAD has the Content-Encoding of the answer to GET, and no body.
  if (body.length === 0 || coding === undefined) return body.toString();
  const unpack = { br: brotliDecompressSync, gzip: gunzipSync, deflate: inflateSync }[String(coding)];
  if (unpack === undefined) throw new Error(`an unknown coding: ${String(coding)}`);
  return unpack(body).toString();
}

describe(`${count} random requests (FUZZ_SEED=${seed})`, () => {
  it('meet no 5xx, nothing that the API document does not describe, and always the envelope', async () => {
    const pool = new Pool(system.gatewayUrl, { connections: atOnce, pipelining: 1 });
    const fuzzer = new Fuzzer(seed, known);
    const check = apiChecker();
    const found: string[] = [];
    const statuses: Record<number, number> = {};
    let sent = 0;
    const send = async ({ method, path, headers, body }: FuzzRequest) => {
      const answer = await pool.request({ method: method as 'GET', path, headers, body });
      const text = unpacked(Buffer.from(await answer.body.arrayBuffer()), answer.headers['content-encoding']);
      statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
      const isPage = path.split('?', 1)[0] === '/'; // not the API, and not in its document
      const problems = isPage
        ? []
        : check({
            method,
            path,
            status: answer.statusCode,
            headers: new Headers(
              Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]),
            ),
            body: text,
          });
      if (validatorsWords.test(text) && answer.statusCode === 400) problems.push('a validator’s own words');
      if (answer.statusCode >= 500) problems.push('a server error');
      if (problems.length > 0) {
        const request = JSON.stringify({ method, path, headers, body: String(body).slice(0, 300) });
        found.push(`${answer.statusCode} ${problems.join('; ')}\n  ${request}\n  ${text.slice(0, 300)}`);
      }
    };
    const client = async () => {
      while (sent < count && found.length < 10) {
        sent += 1;
        const request = fuzzer.next();
        try {
          await send(request);
        } catch (error) {
          // Some requests are impossible in HTTP, and undici refuses to send them.
          if (!String(error).includes('InvalidArgumentError')) {
            found.push(`${String(error)}\n  ${JSON.stringify(request).slice(0, 600)}`);
          }
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, client));
    await pool.close();
    expect(found).toEqual([]);
    expect(sent).toBe(count);
    // The requests reached the services, and every kind of refusal.
    for (const status of [200, 304, 400, 401, 404, 405, 413, 415])
      expect(statuses[status]).toBeGreaterThan(0);
  }, 240_000);

  it('and bytes that are not HTTP get a refusal in the envelope, or a closed connection', async () => {
    const fuzzer = new Fuzzer(seed, known);
    const { hostname, port } = new URL(system.gatewayUrl);
    const exchange = (bytes: Buffer) =>
      new Promise<string>((resolve) => {
        const chunks: Buffer[] = [];
        const socket = connect({ host: hostname, port: Number(port) }, () => socket.end(bytes));
        socket.on('data', (chunk) => chunks.push(chunk));
        socket.on('error', () => undefined);
        socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
      });
    for (let i = 0; i < rawCount; i += 1) {
      const bytes = fuzzer.nextRaw();
      const answer = await exchange(bytes);
      if (answer === '') continue;
      const [, status, body = ''] = /^HTTP\/1\.1 (\d{3}) [\s\S]*?\r\n\r\n([\s\S]*)$/.exec(answer) ?? [];
      const context = JSON.stringify({
        sent: bytes.toString('latin1').slice(0, 300),
        answer: answer.slice(0, 300),
      });
      expect({ context, status: Number(status) < 500 || status === '501' }).toEqual({
        context,
        status: true,
      });
      if (Number(status) < 400 || body === '') continue;
      const [first = ''] = body.split('HTTP/1.1 ', 1);
      expect({ context, ok: failureSchema.safeParse(JSON.parse(first)).success }).toEqual({
        context,
        ok: true,
      });
    }
  }, 120_000);

  it('and clients that send slowly, incomplete requests or garbage after a request are refused or closed', async () => {
    const { hostname, port } = new URL(system.gatewayUrl);
    const head = (method: string, ...lines: string[]) =>
      [`${method} /v1/webhooks HTTP/1.1`, 'Host: x', `Authorization: Bearer ${system.apiKey}`, ...lines].join(
        '\r\n',
      );
    const body = (length: number) =>
      `${head('POST', 'Content-Type: application/json', `Content-Length: ${length}`)}\r\n\r\n`;
    /** What is sent first, what is sent every 200 ms after that, and whether the client closes its side at once. */
    const clients = [
      { first: `${body(90)}{`, again: ' ', half: false },
      { first: `${head('GET')}\r\n`, again: 'X-More: 1\r\n', half: false },
      { first: `${body(90)}{`, again: '', half: true },
      { first: `${head('GET')}\r\nX-Ha`, again: '', half: true },
      { first: `${body(2)}{}\x00\xffgarbage\r\n\r\n`, again: '\x00', half: false },
    ];
    const run = ({ first, again, half }: (typeof clients)[number]) =>
      new Promise<string>((resolve) => {
        let received = '';
        const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
        const timer = setInterval(() => {
          if (again !== '') socket.write(again, 'latin1');
        }, 200);
        socket.write(first, 'latin1');
        if (half) socket.end();
        socket.on('data', (chunk) => {
          received += chunk.toString('latin1');
        });
        socket.on('end', () => socket.end());
        socket.on('error', () => undefined);
        socket.on('close', () => {
          clearInterval(timer);
          resolve(received);
        });
      });
    const answers = await Promise.all(Array.from({ length: 12 }, () => clients.map(run)).flat());
    for (const answer of answers) {
      for (const one of answer.split(/(?=HTTP\/1\.1 \d{3} )/)) {
        const status = Number(one.slice(9, 12));
        if (one === '') continue;
        expect({ one, ours: status < 500 }).toEqual({ one, ours: true });
        const [, text = ''] = one.split('\r\n\r\n');
        expect(failureSchema.safeParse(JSON.parse(text)).success).toBe(true);
      }
    }
  }, 60_000);

  it('leave a system that serves and is ready', async () => {
    const { response } = await system.api('/v1/signals');
    expect(response.status).toBe(200);
    const ready = await fetch(system.readyUrl('gateway'));
    expect(ready.status).toBe(200);
  });
});
