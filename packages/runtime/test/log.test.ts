import { describe, expect, it } from 'vitest';
import { createLogger, withRequestId } from '../src/index.ts';

/** A logger and what it wrote. */
function recorded(level = 'info') {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  return { log: createLogger({ service: 'sample', level, destination }), lines };
}

const secretNames = [
  'authorization',
  'cookie',
  'set-cookie',
  'password',
  'secret',
  'token',
  'api_key',
  'x-sigcast-identity',
];

describe('the log', () => {
  it.each(secretNames)('the log never shows the field %s, in an entry or two levels inside it', (name) => {
    const { log, lines } = recorded();
    const secret = { [name]: 'hunter2', kept: 'kept' };
    log.info(secret, 'here');
    log.info({ user: secret }, 'inside');
    log.info({ req: { headers: secret } }, 'deep inside');
    log.info({ users: [secret] }, 'in a list');
    log.info({ user: { toJSON: () => secret } }, 'in what JSON shows');
    log.info('%j', secret);
    log.child(secret).info('by a child');
    log.child({ req: { headers: secret } }).info('inside, by a child');
    log.child({}).child({ user: secret }).info("inside, by a child's child");
    expect(lines).toHaveLength(9);
    for (const line of lines) {
      expect(line).not.toContain('hunter2');
      expect(line).toContain('[redacted]');
      expect(line).toContain('kept');
    }
  });

  it('what has no secrets is logged as it is', () => {
    const { log, lines } = recorded();
    const at = new Date('2026-01-02T03:04:05.678Z');
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const unreadable = {
      toJSON: () => {
        throw new Error('no JSON');
      },
    };
    log.info({ at, list: [1, { two: 2 }], deep: { a: { b: { c: { d: 1 } } } }, token: undefined });
    log.info({ cyclic });
    log.info({ unreadable });
    log.info('%s of %d', 'one', 2);
    const [plain, circular, , formatted] = lines.map((line) => JSON.parse(line) as object);
    expect(plain).toMatchObject({
      at: at.toISOString(),
      list: [1, { two: 2 }],
      deep: { a: { b: { c: { d: 1 } } } },
    });
    expect(plain).not.toHaveProperty('token');
    expect(circular).toHaveProperty('cyclic.self.self');
    expect(formatted).toMatchObject({ msg: 'one of 2' });
    expect(lines).toHaveLength(4);
  });

  it("the log shows an error's message and codes, and none of its other fields", () => {
    const { log, lines } = recorded();
    const refused = Object.assign(new Error('WRONGPASS invalid username-password pair'), {
      code: 'REFUSED',
      port: 6379,
      command: { name: 'hello', args: ['3', 'AUTH', 'default', 'hunter2'] },
      options: { auth: 'hunter2' },
    });
    log.error({ err: refused }, 'as err');
    log.error(refused);
    log.error({ problem: refused }, 'by another name');
    log.error({ err: new Error('outer', { cause: refused }) }, 'as a cause');
    log.error({ err: new AggregateError([refused], 'several') }, 'among several');
    log.error({ context: { problems: [refused] } }, 'inside');
    log.child({ err: refused }).error('by a child');
    expect(lines).toHaveLength(7);
    expect(lines.join('')).not.toContain('hunter2');
    for (const line of lines) expect(line).toContain('WRONGPASS');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      err: {
        type: 'Error',
        message: refused.message,
        code: 'REFUSED',
        port: 6379,
        stack: expect.any(String),
      },
    });
  });

  it.each([
    ['redis://:hunter2@cache:6379/0', 'redis://:***@cache:6379/0'],
    ['amqp://app:hunter2@mq/%2F', 'amqp://app:***@mq/%2F'],
    ['mongodb://app:hunter2@a:1,b:2/?replicaSet=r', 'mongodb://app:***@a:1,b:2/?replicaSet=r'],
    ['redis-cluster://app:hun"ter2/@hunter2@a,b', 'redis-cluster://app:***@a,b'],
  ])('%s is logged without its password, wherever it is', (address, shown) => {
    const { log, lines } = recorded();
    log.info({ address, deep: { deeper: [address] } }, `connecting to ${address}`);
    log.error({ err: new Error(`no answer from ${address}`) });
    expect(lines.join('')).not.toContain('ter2');
    const [first, second] = lines.map((line) => JSON.parse(line) as { err?: Error });
    expect(first).toMatchObject({ address: shown, deep: { deeper: [shown] }, msg: `connecting to ${shown}` });
    expect(second?.err?.message).toBe(`no answer from ${shown}`);
  });

  it.each([
    [
      '/v1/signals/sk_01M812Z331KT0M6WQMXRD4ZYRV_1lX6cOV0EfMCTfaGwke2cuY3Xf9j4154q4K4x1Q?a=b',
      '/v1/signals/sk_***?a=b',
    ],
    ['a whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/== b', 'a whsec_*** b'],
    ['token eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl-_x, and', 'token eyJ***, and'],
    [
      'sk_short and task_0123456789_0123456789_0123456789',
      'sk_short and task_0123456789_0123456789_0123456789',
    ],
  ])('%s is logged without the text that has the form of a secret', (text, shown) => {
    const { log, lines } = recorded();
    log.info({ path: text }, text);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ path: shown, msg: shown });
  });

  it('the log shows addresses without a password as they are', () => {
    const { log, lines } = recorded();
    log.info('https://example.test:8080/a?b=c and http://user@example.test/');
    expect(lines[0]).toContain('"https://example.test:8080/a?b=c and http://user@example.test/"');
  });

  it('a log line names the service, and the request being served', async () => {
    const { log, lines } = recorded();
    await withRequestId('req_1', async () => {
      await Promise.resolve();
      log.info('during');
    });
    log.info('after');
    const [during, after] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(during).toMatchObject({ level: 'info', service: 'sample', request_id: 'req_1', msg: 'during' });
    expect(after).not.toHaveProperty('request_id');
  });

  it('the log leaves out entries below its level', () => {
    const { log, lines } = recorded('warn');
    log.info('no');
    log.warn('yes');
    expect(lines).toHaveLength(1);
  });
});
