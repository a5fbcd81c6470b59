import { createHash, randomUUID } from 'node:crypto';
import { silentLogger } from '@sigcast/runtime';
import { eventually, startTcpProxy, type TestStack, testStack } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectRedis, defineScript } from '../src/index.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

describe('Redis', () => {
  let stack: TestStack;
  beforeAll(() => {
    stack = testStack();
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  /** A client behind a proxy, ready for commands. `timeoutMs` is long in tests that do not measure time. */
  const connect = async (scope: AsyncDisposableStack, options: { timeoutMs?: number } = {}) => {
    const { hostname, port } = new URL(stack.redisUrl);
    const proxy = scope.use(await startTcpProxy({ host: hostname, port: Number(port || 6379) }));
    const url = proxy.through(stack.redisUrl);
    const settings = { url, keyPrefix: stack.redisKeyPrefix, ...options };
    const redis = connectRedis(settings, silentLogger(), scope);
    await eventually(() => redis.ping());
    return { proxy, redis };
  };

  it('a script that Redis lacks is run all the same, and Redis has it from then on', async () => {
    await using scope = new AsyncDisposableStack();
    const { redis } = await connect(scope, { timeoutMs: 1_500 });
    const lua = `-- ${randomUUID()}\nreturn {KEYS[1], ARGV[1], ARGV[2]}`;
    const digest = createHash('sha1').update(lua).digest('hex');
    const run = defineScript(lua);
    expect(await redis.script('EXISTS', digest)).toEqual([0]);
    for (let call = 0; call < 2; call++) {
      expect(await run(redis, ['k'], ['a', 1])).toEqual([`${stack.redisKeyPrefix}k`, 'a', '1']);
      expect(await redis.script('EXISTS', digest)).toEqual([1]);
    }
  });

  it('a wrong script fails with Redis’s own error', async () => {
    await using scope = new AsyncDisposableStack();
    const { redis } = await connect(scope, { timeoutMs: 1_500 });
    const run = defineScript(`-- ${randomUUID()}\nreturn redis.call('NONSENSE')`);
    await expect(run(redis, [], [])).rejects.toThrow(/Unknown Redis command/);
  });

  it('a call to a Redis that hangs fails after 50 ms, and later answers stay with their calls', async () => {
    await using scope = new AsyncDisposableStack();
    const { proxy, redis } = await connect(scope);
    await eventually(() => redis.mset('a', 'one', 'b', 'two'));
    proxy.hang();
    const startedAt = performance.now();
    await expect(redis.get('a')).rejects.toThrow(/timed out/i);
    expect(performance.now() - startedAt).toBeLessThan(500);
    proxy.restore();
    // The late answer for `a` must not be taken for the one to `b`.
    await eventually(async () => expect(await redis.get('b')).toBe('two'));
    await eventually(async () => expect(await redis.get('a')).toBe('one'));
  });

  it('an answer that came in time counts, although this process was too busy to read it', async () => {
    await using scope = new AsyncDisposableStack();
    const settings = { url: stack.redisUrl, keyPrefix: stack.redisKeyPrefix, timeoutMs: 200 };
    const redis = connectRedis(settings, silentLogger(), scope);
    await eventually(() => redis.set('a', 'one'));
    for (let round = 0; round < 5; round += 1) {
      const answer = redis.get('a');
      // Lets the call be sent, then blocks the process beyond the timeout.
      await new Promise((resolve) => setImmediate(resolve));
      const until = performance.now() + 250;
      while (performance.now() < until);
      expect(await answer).toBe('one');
    }
  });

  it('a call without a connection fails at once, and succeeds when Redis is back', async () => {
    await using scope = new AsyncDisposableStack();
    const { proxy, redis } = await connect(scope);
    proxy.refuse();
    proxy.cut();
    await eventually(() => expect(redis.status).not.toBe('ready'));
    const startedAt = performance.now();
    await expect(redis.get('a')).rejects.toThrow();
    expect(performance.now() - startedAt).toBeLessThan(500);
    proxy.restore();
    await eventually(() => redis.set('back', '1'));
    expect(await redis.get('back')).toBe('1');
  });

  it('a connection that hangs is replaced by a new one, without a restart', async () => {
    await using scope = new AsyncDisposableStack();
    const { proxy, redis } = await connect(scope);
    proxy.hang();
    await expect(redis.get('a')).rejects.toThrow();
    await eventually(() => expect(redis.status).not.toBe('ready'));
    proxy.cut();
    proxy.restore();
    await eventually(() => redis.set('back', '2'));
  });

  it('a service starts without Redis', async () => {
    await using scope = new AsyncDisposableStack();
    const settings = { url: 'redis://127.0.0.1:1', keyPrefix: '' };
    const redis = connectRedis(settings, silentLogger(), scope);
    await expect(redis.get('a')).rejects.toThrow();
  });
});
