import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { eventually } from '@sigcast/testing';
import { Webhook } from 'standardwebhooks';

/** The port that all printed receivers listen on. */
const printedPort = '9000';

/** Runs a receiver as it is printed, but for the port, and sends it what is signed and what is not. */
export async function expectToVerify(options: {
  readonly program: string;
  readonly text: string;
  readonly secret: string;
}): Promise<void> {
  const { program, text, secret } = options;
  expect(text).toContain(printedPort);
  await using resources = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'sigcast-receiver-'));
  resources.defer(() => rm(dir, { recursive: true }));
  const port = await freePort();
  const file = join(dir, 'receiver.mjs');
  await writeFile(file, text.replace(printedPort, String(port)));
  const child = spawn(program, [file], { env: { ...process.env, SECRET: secret }, stdio: 'pipe' });
  resources.defer(() => stop(child));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  const url = `http://127.0.0.1:${port}/`;
  await eventually(() => fetch(url, { method: 'HEAD' }).then(() => expect(child.exitCode).toBeNull()));

  const id = 'evt_1';
  const body = JSON.stringify({ event: 'signal.new', data: { id: 'sig_1', token: { symbol: 'NOVA' } } });
  const now = new Date();
  const send = async (sent: string, headers: Record<string, string>) =>
    (await fetch(url, { method: 'POST', body: sent, headers })).status;
  const signed = (secretUsed: string, at = now) => ({
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secretUsed).sign(id, at, body),
  });
  expect(await send(body.replace('NOVA', 'NOVB'), signed(secret))).toBe(401);
  expect(await send(body, signed('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'))).toBe(401);
  expect(await send(body, signed(secret, new Date(now.getTime() - 600_000)))).toBe(401);
  expect(await send(body, {})).toBe(401);
  expect(said).not.toContain('sig_1');
  expect(await send(body, signed(secret))).toBe(200);
  await eventually(() => expect(said).toMatch(/signal\.new sig_1 NOVA/));
  // As after the rotation of a secret: an older one signs, too.
  const both = signed('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')['webhook-signature'];
  const headers = signed(secret);
  expect(
    await send(body, { ...headers, 'webhook-signature': `${both} ${headers['webhook-signature']}` }),
  ).toBe(200);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
