import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventStream, success } from '../answers.ts';
import { startSigcast } from './child.ts';

let api: Receiver;
let stream: ServerResponse | undefined;
let end: (() => void) | undefined;

beforeEach(async () => {
  api = await startReceiver();
  [stream, end] = [undefined, undefined];
  api.script('/v1/events?after=latest&limit=1', success([], { next_cursor: 'pos_7', has_more: false }));
  api.script(
    '/v1/stream',
    eventStream((response) => {
      stream = response;
      response.write(':\n\n');
    }),
  );
});

afterEach(async () => {
  end?.();
  await api?.[Symbol.asyncDispose]();
});

/** `sigcast` as a process of its own, once its stream is open. */
async function start(...args: string[]) {
  const started = startSigcast(args, { SIGCAST_API_KEY: 'sk_test', SIGCAST_URL: api.url });
  end = () => started.child.kill('SIGKILL');
  await eventually(() => expect(started.err()).toContain('Ctrl-C ends it'), { timeoutMs: 20_000 });
  return started;
}

/** Whether the process has yet to receive a signal that was sent to it; false where the system does not tell. */
function hasPendingSignal(pid: number | undefined): boolean {
  if (process.platform !== 'linux') return false;
  return !/^ShdPnd:\s+0+$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

function send(n: number): void {
  const data = { id: `sig_${n}`, type: 'new', token: { symbol: 'NOVA' }, performance: { roi: 1 } };
  const body = { event: 'signal.new', timestamp: '2026-01-01T12:00:00.000Z', data };
  stream?.write(`id: evt_${n}\nevent: signal.new\ndata: ${JSON.stringify(body)}\n\n`);
}

describe('sigcast as a process', () => {
  it('ends with 0 when the reader of its output goes away, and names the last event that was read', async () => {
    const { child, out, err, ended } = await start('events', 'tail');
    send(1);
    await eventually(() => expect(out()).toContain('evt_1'));
    child.stdout.destroy();
    send(2);
    expect(await ended).toBe(0);
    expect(err().trimEnd().split('\n').at(-1)).toBe('To continue from here: --after evt_1');
  }, 30_000);

  it('ends with 0 when standard output and standard error are both closed', async () => {
    const { child, ended } = await start('events', 'tail');
    child.stdout.destroy();
    child.stderr.destroy();
    send(1);
    expect(await ended).toBe(0);
  }, 30_000);

  it('counts a Ctrl-C that arrives twice, as through npx, as one, and lets the receiver answer', async () => {
    let answer: (() => void) | undefined;
    api.script('/hook', (response) => {
      answer = () => void response.writeHead(200).end();
    });
    const { child, out, err, ended } = await start('webhooks', 'listen', '--forward', `${api.url}/hook`);
    send(1);
    await eventually(() => expect(answer).toBeDefined());
    child.kill('SIGINT');
    // The system would merge a second signal with a pending one.
    await eventually(() => expect(hasPendingSignal(child.pid)).toBe(false));
    child.kill('SIGINT');
    await eventually(() => expect(hasPendingSignal(child.pid)).toBe(false));
    answer?.();
    expect(await ended).toBe(130);
    expect(out()).toContain('200');
    expect(err()).toContain('To continue from here: --after evt_1');
  }, 30_000);
});
