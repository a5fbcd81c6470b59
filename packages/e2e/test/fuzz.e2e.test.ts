import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { failureSchema } from '@sigcast/contracts';
import { apiChecker, modelRuns } from '@sigcast/testing';
import { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fuzzer, type FuzzRequest, type Known } from './fuzz-requests.ts';
import { sharedSystem, type TestSystem } from './system.ts';

const { seed, numRuns: count } = modelRuns(20_000);
const rawCount = Math.ceil(count / 40);
const atOnce = 24;
const email = 'fuzz@sigcast.test';

let system: TestSystem;
let known: Known;

beforeAll(async () => {
  system = await sharedSystem();
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
    body: JSON.stringify({ email, password: 'correct horse battery' }),
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
afterAll(async () => {
  await system.operator('account', 'delete', email, '--email', email);
  await system.stop();
});

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

describe(`${count} random requests (MODEL_SEED=${seed})`, () => {
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
      // Not the API, and not in its document.
      const isPage = path.split('?', 1)[0] === '/' || /<title>(?:Not found · )?Sigcast<\/title>/.test(text);
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

  it('leave a system that serves and is ready', async () => {
    const { response } = await system.api('/v1/signals');
    expect(response.status).toBe(200);
    const ready = await fetch(system.readyUrl('gateway'));
    expect(ready.status).toBe(200);
  });
});
