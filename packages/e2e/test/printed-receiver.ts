import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pickFreePort } from '@sigcast/local';
import { eventually } from '@sigcast/testing';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';

/** The port at which all printed receivers listen. */
const printedPort = '9000';

/** A webhook receiver that a document prints, and how to start it. */
export type PrintedReceiver = {
  readonly program: string;
  /** Arguments of the program, which runs in the folder of the file. Default: the file. */
  readonly args?: (port: number) => readonly string[];
  /** The name of the file. Default: `receiver.mjs`. */
  readonly file?: string;
  readonly text: string;
  readonly secret: string;
  /** The port to listen at instead of the printed one. Default: a free port. */
  readonly port?: number;
};

/** A running receiver, as printed except for the port. */
export type RunningReceiver = {
  readonly url: string;
  /** What it has printed so far. */
  said(): string;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Starts a receiver in a folder of its own, and waits until it listens. */
export async function startPrinted(receiver: PrintedReceiver): Promise<RunningReceiver> {
  const { program, args, file = 'receiver.mjs', text, secret } = receiver;
  expect(text).toContain(printedPort);
  const resources = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'sigcast-receiver-'));
  resources.defer(() => rm(dir, { recursive: true }));
  const port = receiver.port ?? (await pickFreePort());
  await writeFile(join(dir, file), text.replaceAll(printedPort, String(port)));
  const child = spawn(program, args?.(port) ?? [file], {
    cwd: dir,
    env: { ...process.env, SECRET: secret, SIGCAST_SECRET: secret },
    stdio: 'pipe',
  });
  resources.defer(() => stop(child));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  const url = `http://127.0.0.1:${port}/`;
  const listens = async () => {
    await fetch(url, { method: 'HEAD' }).catch((error: unknown) => {
      throw new Error(`${program} does not listen: ${said}`, { cause: error });
    });
    expect(child.exitCode).toBeNull();
  };
  await eventually(listens, { timeoutMs: 60_000 });
  return { url, said: () => said, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Runs a receiver, as printed except for the port, and checks that it accepts signed deliveries only. */
export async function expectToVerify(printed: PrintedReceiver): Promise<void> {
  const { secret } = printed;
  await using receiver = await startPrinted(printed);
  const id = 'evt_1';
  const body = JSON.stringify({
    event: 'signal.new',
    data: { id: 'sig_1', token: { symbol: 'NOVA', name: 'Nová' } },
  });
  const now = new Date();
  const send = async (sent: string, headers: Record<string, string>) =>
    (await fetch(receiver.url, { method: 'POST', body: sent, headers })).status;
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
  expect(receiver.said()).not.toContain('sig_1');
  expect(await send(body, signed(secret))).toBe(200);
  await eventually(() => expect(receiver.said()).toMatch(/signal\.new sig_1 NOVA/));
  // As after the rotation of a secret, when two secrets sign.
  const both = signed('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')['webhook-signature'];
  const headers = signed(secret);
  expect(
    await send(body, { ...headers, 'webhook-signature': `${both} ${headers['webhook-signature']}` }),
  ).toBe(200);
}

/** Runs a receiver as it is printed, and checks that a request that breaks off does not end it. */
export async function expectToGoOn(printed: PrintedReceiver): Promise<void> {
  await using receiver = await startPrinted(printed);
  const socket = connect(Number(new URL(receiver.url).port), '127.0.0.1');
  const begun = 'POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 100\r\n\r\n{"event":';
  await new Promise((resolve) => socket.write(begun, resolve));
  socket.destroy();
  const body = JSON.stringify({ event: 'webhook.test', data: { id: 'test_1' } });
  const now = new Date();
  const signed = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(printed.secret).sign('evt_1', now, body),
  };
  const send = async (headers: Record<string, string>) =>
    (await fetch(receiver.url, { method: 'POST', body, headers })).status;
  expect(await send({ ...signed, 'webhook-timestamp': 'yesterday' })).toBe(401);
  expect(await send(signed)).toBe(200);
  await eventually(() => expect(receiver.said()).toContain('webhook.test test_1'));
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
