import {
  eventually,
  type ReceivedRequest,
  type Receiver,
  type ReceiverStep,
  startReceiver,
} from '@sigcast/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../src/index.ts';
import { eventStream, failure, success } from '../answers.ts';
import { finish, type RunningCommand, runCommand } from './terminal.ts';

let api: Receiver;
let receiver: Receiver;
let env: Record<string, string>;

beforeEach(async () => {
  [api, receiver] = [await startReceiver(), await startReceiver()];
  env = { SIGCAST_API_KEY: 'sk_test', SIGCAST_URL: api.url };
  api.script('/v1/events?after=latest&limit=1', success([], { next_cursor: 'pos_7', has_more: false }));
});

afterEach(async () => {
  await api?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

const data = (n: number) => ({
  id: `sig_${n}`,
  type: 'new',
  token: { symbol: 'Zürich ✓' },
  performance: { roi: 1.5 },
});
/** The body of an event’s webhooks. */
const bodyOf = (n: number) =>
  JSON.stringify({ event: 'signal.new', timestamp: '2026-01-01T12:00:00.000Z', data: data(n) });
const frame = (n: number) => `id: evt_${n}\nevent: signal.new\ndata: ${bodyOf(n)}\n\n`;
/** A stream of these events that stays open. */
const open = (...events: number[]) =>
  eventStream((response) => response.write(`retry: 1\n${events.map(frame).join('')}:\n\n`));
/** A stream of these events that ends. */
const over = (...events: number[]) =>
  eventStream((response) => response.end(`retry: 1\n${events.map(frame).join('')}`));
const stream = (...steps: ReceiverStep[]) => api.script('/v1/stream', ...steps);
const resumedAfter = () =>
  api.requests.filter(({ path }) => path === '/v1/stream').map(({ headers }) => headers['last-event-id']);

const attempts = () => receiver.requests.map(({ headers }) => headers['webhook-id']);
const listen = (options = '', more: Record<string, string> = {}) =>
  runCommand(`webhooks listen --forward ${receiver.url}/hook ${options}`, { env: { ...env, ...more } });
const secretOf = ({ noted }: RunningCommand) =>
  noted.map((line) => /^Signing secret: (.*)$/.exec(line)?.[1] ?? '').join('');

describe('sigcast webhooks listen', () => {
  it('posts each event with the bytes and the headers of a webhook, signed by the secret that it names', async () => {
    stream(open(1, 2));
    const command = listen();
    await eventually(() => expect(attempts()).toEqual(['evt_1', 'evt_2']));
    command.interrupt();
    expect(await command.ended).toBe(130);
    const secret = secretOf(command);
    for (const [at, request] of receiver.requests.entries()) {
      expect(request.method).toBe('POST');
      expect(request.body.toString()).toBe(bodyOf(at + 1));
      expect(request.headers).toMatchObject({
        'content-type': 'application/json',
        'content-length': String(request.body.length),
        'user-agent': expect.stringMatching(/^Sigcast-Webhooks\/1\.0\b/),
        'webhook-attempt': '1',
      });
      expect(await verifyWebhook(request.body, request.headers, secret)).toEqual(JSON.parse(bodyOf(at + 1)));
    }
    expect(command.noted.at(-1)).toBe('To continue from here: --after evt_2');
  });

  it('posts an event that fails again, and no later event before it is received', async () => {
    stream(open(1, 2, 3));
    const moved: ReceiverStep = (response) => response.writeHead(307, { location: '/elsewhere' }).end();
    // Two refusals an event: the pauses between attempts double.
    receiver.script('/hook', 500, 'drop', 200, moved, 204);
    const command = listen('--json');
    await eventually(() => expect(command.printed).toHaveLength(7), { timeoutMs: 35_000 });
    command.interrupt();
    await command.ended;
    expect(attempts()).toEqual(['evt_1', 'evt_1', 'evt_1', 'evt_2', 'evt_2', 'evt_2', 'evt_3']);
    const numbers = receiver.requests.map(({ headers }) => headers['webhook-attempt']);
    expect(numbers).toEqual(['1', '2', '3', '1', '2', '3', '1']);
    const lines = command.printed.map((line) => JSON.parse(line) as { status: number; error: string | null });
    expect(lines.map(({ status }) => status)).toEqual([500, null, 200, 307, 204, 200, 200]);
    expect(lines[1]?.error).toMatch(/\w/);
    expect(lines[6]).toMatchObject({ id: 'evt_3', event: 'signal.new', signal_id: 'sig_3', attempt: 1 });
  }, 60_000);

  it('gives up an event after the given number of retries, says so, and posts the next event', async () => {
    stream(open(1, 2));
    receiver.script('/hook', 500, 500);
    const command = listen('--retries 1');
    await eventually(() => expect(attempts()).toEqual(['evt_1', 'evt_1', 'evt_2']));
    expect(command.noted).toContain('Gave up evt_1 after 2 attempts');
    command.interrupt();
    await command.ended;
  });

  it('continues after the last event when the stream ends, breaks or is refused for a time', async () => {
    const broken = eventStream((response) => {
      response.write(`${frame(2)}id: evt_3\ndata: {"ha`, () => response.socket?.destroy());
    });
    stream(over(1), broken, failure(503, 'SERVICE_UNAVAILABLE'), open(3));
    const command = listen();
    await eventually(() => expect(attempts()).toEqual(['evt_1', 'evt_2', 'evt_3']));
    expect(resumedAfter()).toEqual(['pos_7', 'evt_1', 'evt_2', 'evt_2']);
    await eventually(() => expect(command.noted).toContain('Connected'));
    expect(command.noted.some((line) => line.startsWith('Not connected: '))).toBe(true);
    command.interrupt();
    await command.ended;
  });

  it('continues after the last event when the stream breaks while the receiver does not answer', async () => {
    let cut = () => {};
    stream(
      eventStream((response) => {
        response.write(frame(1));
        cut = () => response.socket?.destroy();
      }),
      open(2),
    );
    receiver.script('/hook', () => undefined, 200);
    const command = listen();
    await eventually(() => expect(attempts()).toEqual(['evt_1']));
    cut();
    receiver.dropConnections();
    await eventually(() => expect(attempts()).toEqual(['evt_1', 'evt_1', 'evt_2']));
    expect(resumedAfter()).toEqual(['pos_7', 'evt_1']);
    command.interrupt();
    await command.ended;
  });

  it('asked to stop, waits for the receiver’s answer, posts nothing more, and names the last event received', async () => {
    let answer = () => {};
    receiver.script('/hook', (response) => {
      answer = () => void response.writeHead(200).end();
    });
    stream(open(1, 2));
    const command = listen();
    await eventually(() => expect(attempts()).toEqual(['evt_1']));
    command.interrupt();
    answer();
    expect(await command.ended).toBe(130);
    expect(attempts()).toEqual(['evt_1']);
    expect(command.noted.at(-1)).toBe('To continue from here: --after evt_1');
  });

  it('asked to stop twice, does not wait, and names the last event that the receiver confirmed', async () => {
    receiver.script('/hook', 200, 'hang');
    stream(open(1, 2));
    const command = listen();
    await eventually(() => expect(attempts()).toEqual(['evt_1', 'evt_2']));
    command.interrupt();
    command.interrupt();
    expect(await command.ended).toBe(130);
    expect(command.noted.at(-1)).toBe('To continue from here: --after evt_1');
  });

  it('asked to stop between two attempts or before any event, names the position to continue from', async () => {
    stream(open(), open(1));
    const idle = listen();
    await eventually(() => expect(idle.noted).toContainEqual(expect.stringContaining('Posting events to')));
    idle.interrupt();
    expect(await idle.ended).toBe(130);
    expect(idle.noted.at(-1)).toBe('To continue from here: --after pos_7');

    receiver.script('/hook', (response) => response.writeHead(503, { 'retry-after': '60' }).end());
    const waiting = listen('--after evt_0');
    await eventually(() =>
      expect(waiting.noted).toContainEqual('Not received: only 200 counts. Trying evt_1 again in 60.0 s'),
    );
    waiting.interrupt();
    expect(await waiting.ended).toBe(130);
    expect(waiting.noted.at(-1)).toBe('To continue from here: --after evt_0');
    expect(resumedAfter()).toEqual(['pos_7', 'evt_0']);
  });

  it('ends when the receiver answers 410 or the key is revoked, and names the position to continue from', async () => {
    receiver.script('/hook', 200, 410);
    stream(open(1, 2));
    const gone = listen();
    expect(await gone.ended).toBe(1);
    expect(gone.noted).toContain('To continue from here: --after evt_1');
    expect(gone.noted.at(-1)).toContain('The receiver answered 410');

    stream(over(3), failure(401, 'UNAUTHORIZED'));
    const revoked = listen('--after evt_2');
    expect(await revoked.ended).toBe(3);
    expect(revoked.noted).toContain('To continue from here: --after evt_3');
  });

  it('signs with a secret made from the key, the same at every start, or with the one in the environment', async () => {
    const print = (key: string) =>
      finish('webhooks listen --print-secret', { env: { ...env, SIGCAST_API_KEY: key } });
    const { out: secret } = await print('sk_test');
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await print('sk_test')).out).toBe(secret);
    expect((await print('sk_other')).out).not.toBe(secret);

    stream(open(1));
    const given = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const command = listen('', { SIGCAST_WEBHOOK_SECRET: given });
    const request = await eventually(() => {
      const [first] = receiver.requests;
      if (!first) throw new Error('nothing yet');
      return first;
    });
    await verifyWebhook(request.body, request.headers, given);
    command.interrupt();
    await command.ended;
    expect(command.noted.join()).not.toContain(given);
  });

  it('prints its secret without an address of the API, also as JSON', async () => {
    const alone = { SIGCAST_API_KEY: 'sk_test', SIGCAST_CONFIG: '/nowhere/config.json' };
    const { exit, out: secret } = await finish('webhooks listen --print-secret', { env: alone });
    expect({ exit, secret }).toEqual({ exit: 0, secret: expect.stringMatching(/^whsec_/) });
    const { out } = await finish('webhooks listen --print-secret --json', { env: alone });
    expect(JSON.parse(out)).toEqual({ secret });
  });

  it('refuses an invalid secret before it sends any request, without repeating it', async () => {
    const command = listen('', { SIGCAST_WEBHOOK_SECRET: 'hush!' });
    expect(await command.ended).toBe(2);
    expect(command.noted.join()).toContain('SIGCAST_WEBHOOK_SECRET must be whsec_ and base64');
    expect(command.noted.join()).not.toContain('hush');
    expect(api.requests).toEqual([]);
  });

  it('posts a test event first with --test, and misses no event that happens meanwhile', async () => {
    stream(open(1));
    let askedBefore: string[] = [];
    receiver.script('/hook', (response) => {
      askedBefore = api.requests.map(({ path }) => path);
      response.writeHead(200).end();
    });
    const command = listen('--test');
    await eventually(() => expect(receiver.requests).toHaveLength(2));
    const [test] = receiver.requests as [ReceivedRequest];
    const payload = await verifyWebhook(test.body, test.headers, secretOf(command));
    expect(payload).toMatchObject({ event: 'webhook.test', data: { token: { symbol: 'TEST' } } });
    expect(test.headers['webhook-id']).toMatch(/^evt_[0-9A-Za-z]{20,26}$/);
    expect(askedBefore).toEqual(['/v1/events?after=latest&limit=1']);
    expect(resumedAfter()).toEqual(['pos_7']);
    command.interrupt();
    await command.ended;
  });
});

describe('sigcast events tail', () => {
  it('prints each event once and in order over lost connections, and names the position to continue from', async () => {
    stream(over(1, 2), 'drop', open(3));
    const command = runCommand('events tail --json', { env });
    await eventually(() => expect(command.printed).toHaveLength(3));
    command.interrupt();
    expect(await command.ended).toBe(130);
    const events = command.printed.map((line) => JSON.parse(line) as object);
    expect(events).toEqual([1, 2, 3].map((n) => ({ id: `evt_${n}`, ...(JSON.parse(bodyOf(n)) as object) })));
    expect(command.noted.at(-1)).toBe('To continue from here: --after evt_3');
  });

  it('with --after latest, stopped before the next event, names the position to continue from', async () => {
    stream(open());
    const command = runCommand('events tail --after latest', { env });
    await eventually(() => expect(command.noted).toHaveLength(1));
    command.interrupt();
    await command.ended;
    expect(command.noted.at(-1)).toBe('To continue from here: --after pos_7');
    expect(resumedAfter()).toEqual(['pos_7']);
  });

  it('asks for the events that were named, and prints a line for each', async () => {
    api.script('/v1/stream?events=signal.new%2Csignal.winner&types=new&filter=%7B%22id%22%3A1%7D', open(1));
    const command = runCommand('events tail --event signal.new,signal.winner --type new --filter {"id":1}', {
      env,
    });
    await eventually(() => expect(command.printed).toHaveLength(1));
    command.interrupt();
    await command.ended;
    expect(command.printed[0]).toMatch(
      /^2026-01-01T12:00:00Z {2}signal\.new +new +evt_1 {2}sig_1 {2}1\.5 % /,
    );
  });

  it('names the option that the API refuses', async () => {
    const details = [{ field: 'Last-Event-ID', message: 'must be a cursor' }];
    const error = { code: 'INVALID_REQUEST', message: 'The request is not valid', details };
    stream((response) => response.writeHead(400).end(JSON.stringify({ success: false, error })));
    const { exit, err } = await finish('events tail --after me', { env });
    expect(exit).toBe(2);
    expect(err).toContain('--after must be a cursor');
    expect(err).not.toContain('To continue from here');
  });

  it('ends at once when it is asked to stop before the stream is open', async () => {
    stream('hang');
    const command = runCommand('events tail', { env });
    await eventually(() => expect(resumedAfter()).toHaveLength(1));
    command.interrupt();
    expect(await command.ended).toBe(130);
  });
});
