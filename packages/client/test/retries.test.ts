import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { SigcastConnectionError, SigcastError, SigcastTimeoutError } from '../src/index.ts';
import { failure, success } from './answers.ts';
import { fakeTimeouts, forgetfulFetch, testClient } from './surroundings.ts';

let server: Receiver;

beforeAll(async () => {
  server = await startReceiver();
});

afterAll(() => server?.[Symbol.asyncDispose]());

afterEach(() => {
  vi.useRealTimers();
});

/** The requests to a path. Every test has a path of its own, and so a script of its own. */
const requestsFor = (path: string) => server.requests.filter((request) => request.path === path);
const hook = { url: 'https://example.com/', events: ['signal.new'] } as const;

describe('a refusal over a rate limit', () => {
  it('is followed by a retry after the time that the API says, whatever the method', async () => {
    const { sigcast, pausesMs } = testClient(server.url);
    const path = '/v1/webhooks/wh_limit/rotate-secret';
    server.script(
      path,
      failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfterS: 42 }),
      success({ secret: 'whsec_' }),
    );
    const { data } = await sigcast.webhooks.rotateSecret('wh_limit');
    expect(data.secret).toBe('whsec_');
    expect(pausesMs).toEqual([42_000]);
  });

  it('is thrown at once if the wait would outlast the call', async () => {
    const { sigcast, pausesMs } = testClient(server.url, { timeoutMs: 10_000 });
    server.script('/v1/signals/sig_day', failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfterS: 3_600 }));
    await expect(sigcast.signals.get('sig_day')).rejects.toMatchObject({
      name: 'SigcastError',
      status: 429,
      code: 'RATE_LIMIT_EXCEEDED',
      retryAfterS: 3_600,
      requestId: 'req_12345678',
      rateLimit: { limit: 60, remaining: 59, resetsAt: new Date(1_767_225_660_000), degraded: false },
    });
    expect(pausesMs).toEqual([]);
  });

  it('is thrown when it persists after the last retry', async () => {
    const { sigcast, pausesMs } = testClient(server.url, { maxRetries: 1 });
    const refusal = failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfterS: 1 });
    server.script('/v1/signals/sig_on', refusal, refusal, success({ id: 'sig_on' }));
    await expect(sigcast.signals.get('sig_on')).rejects.toMatchObject({ status: 429 });
    expect(pausesMs).toEqual([1_000]);
    expect(requestsFor('/v1/signals/sig_on')).toHaveLength(2);
  });
});

describe('an outage', () => {
  it('is bridged by retries, after Retry-After where the API sends one', async () => {
    const { sigcast, pausesMs } = testClient(server.url);
    const down = failure(503, 'SERVICE_UNAVAILABLE', { retryAfterS: 3 });
    server.script('/v1/signals/sig_down', down, failure(504, 'GATEWAY_TIMEOUT'), success({ id: 'sig_down' }));
    expect((await sigcast.signals.get('sig_down')).data.id).toBe('sig_down');
    expect(pausesMs).toEqual([3_000, 250]);
  });

  it('is thrown without a retry for a call that may have been carried out and must not be repeated', async () => {
    const { sigcast } = testClient(server.url);
    const paths = ['/v1/webhooks/wh_once/test', '/v1/webhooks/wh_once/rotate-secret'];
    server.script(paths[0] as string, failure(503, 'SERVICE_UNAVAILABLE', { retryAfterS: 1 }));
    server.script(paths[1] as string, 'drop');
    await expect(sigcast.webhooks.test('wh_once')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(sigcast.webhooks.rotateSecret('wh_once')).rejects.toThrow(SigcastConnectionError);
    for (const path of paths) expect(requestsFor(path)).toHaveLength(1);
  });

  it('leads to one subscription: every retry of its creation carries the same idempotency key', async () => {
    const { sigcast } = testClient(server.url);
    const unavailable = failure(503, 'SERVICE_UNAVAILABLE', { retryAfterS: 1 });
    server.script('/v1/webhooks', 'drop', unavailable, success({ id: 'wh_1' }), success({ id: 'wh_2' }));
    expect((await sigcast.webhooks.create(hook)).data.id).toBe('wh_1');
    expect((await sigcast.webhooks.create(hook, { idempotencyKey: 'mine-7' })).data.id).toBe('wh_2');
    const keys = requestsFor('/v1/webhooks').map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0], keys[0], 'mine-7']);
  });

  it('is thrown after the allowed retries, whose pauses double', async () => {
    const { sigcast, pausesMs } = testClient(server.url, { maxRetries: 3 });
    server.script('/v1/signals/sig_gone', 'drop', 'drop', 'drop', 'drop', success({ id: 'sig_gone' }));
    await expect(sigcast.signals.get('sig_gone')).rejects.toThrow(SigcastConnectionError);
    // Randomness is 0 here, so each pause is half of the longest one possible.
    expect(pausesMs).toEqual([125, 250, 500]);
  });
});

describe('a request that is wrong', () => {
  it('is not sent again, and says what is wrong with it', async () => {
    const { sigcast } = testClient(server.url);
    server.script('/v1/signals/sig_none', failure(404, 'NOT_FOUND'));
    const error = await sigcast.signals.get('sig_none').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SigcastError);
    expect(error).toMatchObject({ status: 404, code: 'NOT_FOUND', message: 'NOT_FOUND it is', details: [] });
    expect(requestsFor('/v1/signals/sig_none')).toHaveLength(1);
  });

  it.each(['', '.', '..'])('is not sent for the identifier %j, which would change the path', (id) => {
    const { sigcast } = testClient(server.url);
    expect(() => sigcast.signals.get(id)).toThrow(TypeError);
  });
});

describe('an answer that is not the API’s', () => {
  it.each([
    [200, '<html>'],
    [200, '{"success":true}'],
    [404, ''],
  ])('is recognised: %i with %j', async (status, body) => {
    const { sigcast } = testClient(server.url);
    server.script('/v1/stats', (response) => response.writeHead(status).end(body));
    const expected = { status, code: 'UNEXPECTED_ANSWER', requestId: undefined, rateLimit: undefined };
    await expect(sigcast.stats.get()).rejects.toMatchObject(expected);
  });

  it('is not followed when it is a redirect, so that the key is sent nowhere else', async () => {
    const { sigcast } = testClient(server.url, { maxRetries: 0 });
    server.script('/v1/signals/sig_moved', (response) =>
      response.writeHead(307, { location: `${server.url}/elsewhere` }).end(),
    );
    await expect(sigcast.signals.get('sig_moved')).rejects.toThrow(SigcastConnectionError);
    expect(requestsFor('/elsewhere')).toHaveLength(0);
  });
});

describe('a server that hangs', () => {
  it('costs one attempt its time, and the next attempt may be answered', async () => {
    fakeTimeouts();
    const { sigcast } = testClient(server.url, { attemptTimeoutMs: 20_000 });
    server.script('/v1/signals/sig_slow', 'hang', success({ id: 'sig_slow' }));
    const answered = sigcast.signals.get('sig_slow');
    await eventually(() => expect(requestsFor('/v1/signals/sig_slow')).toHaveLength(1));
    vi.advanceTimersByTime(20_000);
    expect((await answered).data.id).toBe('sig_slow');
  });

  it('times out even if fetch forgets its signal, as Node 20 does at garbage collection', async () => {
    const options = { attemptTimeoutMs: 100, maxRetries: 0, fetch: forgetfulFetch };
    const { sigcast } = testClient(server.url, options);
    server.script('/v1/signals/sig_forgot', (response) => response.writeHead(200).write('{"success":'));
    await expect(sigcast.signals.get('sig_forgot')).rejects.toThrow(SigcastTimeoutError);
  });

  it('times out also in the middle of its answer', async () => {
    const { sigcast } = testClient(server.url, { attemptTimeoutMs: 100, maxRetries: 0 });
    server.script('/v1/signals/sig_half', (response) => response.writeHead(200).write('{"success":'));
    await expect(sigcast.signals.get('sig_half')).rejects.toThrow(SigcastTimeoutError);
  });
});

describe('aborting', () => {
  it('rejects with the caller’s reason while the answer is awaited, and no more requests are sent', async () => {
    const { sigcast } = testClient(server.url);
    const caller = new AbortController();
    const reason = new Error('not needed any more');
    server.script('/v1/signals/sig_abort', () => caller.abort(reason));
    await expect(sigcast.signals.get('sig_abort', {}, { signal: caller.signal })).rejects.toBe(reason);
    expect(requestsFor('/v1/signals/sig_abort')).toHaveLength(1);
  });

  it('rejects before the request is sent if the signal is already aborted', async () => {
    const { sigcast } = testClient(server.url);
    const signal = AbortSignal.abort();
    await expect(sigcast.signals.get('sig_never', {}, { signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(requestsFor('/v1/signals/sig_never')).toHaveLength(0);
  });
});
