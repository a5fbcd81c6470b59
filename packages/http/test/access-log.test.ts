import { SigcastError } from '@sigcast/contracts';
import { createLogger } from '@sigcast/runtime';
import { eventually, testKeyPair } from '@sigcast/testing';
import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import {
  createApp,
  finishApp,
  healthRoutes,
  identitySigner,
  identityVerifier,
  noteCaller,
  requireGatewayIdentity,
  resource,
  sendData,
} from '../src/index.ts';

const keys = testKeyPair();
const token = identitySigner(
  'gateway',
  keys.privateKey,
  'signals',
)({ subject: 'acct_1', scopes: [], ttlS: 60 });

/** An application, and the lines of its access log. */
function logged(accessLogShare: number, level = 'info') {
  const written: string[] = [];
  const log = createLogger({
    service: 'sample',
    level,
    destination: { write: (line) => written.push(line) },
  });
  const app = createApp(log, { accessLogShare });
  const guard = requireGatewayIdentity(identityVerifier('gateway', keys.publicKey, 'signals'));
  const fail = (code: 'NOT_FOUND' | 'RATE_LIMIT_EXCEEDED' | 'SERVICE_UNAVAILABLE') => () => {
    throw new SigcastError(code, 'no');
  };
  resource(app, '/things/:id', { GET: [guard, (_req, res) => sendData(res, 'here')] });
  resource(app, '/gone/:id', { GET: [guard, fail('NOT_FOUND')] });
  resource(app, '/over', { GET: [guard, fail('RATE_LIMIT_EXCEEDED')] });
  resource(app, '/busy', { GET: [guard, fail('SERVICE_UNAVAILABLE')] });
  resource(app, '/down', { GET: fail('SERVICE_UNAVAILABLE') });
  resource(app, '/door', {
    GET: (_req, res) => {
      noteCaller(res, { account: 'acct_2', key: 'key_2' });
      sendData(res, 'in');
    },
  });
  resource(app, '/shut', {
    GET: (_req, res) => {
      noteCaller(res, { account: 'acct_2', key: 'key_3', refused: true });
      throw new SigcastError('KEY_EXPIRED', 'no');
    },
  });
  healthRoutes(app, { checks: {} });
  finishApp(app, log);
  const get = (path: string, identity = token) =>
    supertest(app).get(path).set('x-request-id', 'request-1').set('x-sigcast-identity', identity);
  const lines = () =>
    written.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === 'request');
  return { get, lines };
}

/** Waits for lines: a line is written when its answer is sent, perhaps after the client has it. */
async function has(lines: () => unknown[], expected: unknown[]): Promise<void> {
  await eventually(() => expect(lines()).toEqual(expected));
}

describe('the access log', () => {
  it('the access log has one line for each request: its id, account, key, route, status and duration', async () => {
    const { get, lines } = logged(1);
    await get('/things/sk_put_here_by_mistake?secret=hunter2');
    await get('/door');
    await get('/shut');
    await has(lines, [
      expect.objectContaining({
        level: 'info',
        request_id: 'request-1',
        account: 'acct_1',
        method: 'GET',
        route: '/things/:id',
        status: 200,
        duration_ms: expect.any(Number),
      }),
      expect.objectContaining({ route: '/door', account: 'acct_2', key: 'key_2' }),
      expect.objectContaining({ route: '/shut', account: 'acct_2', key: 'key_3' }),
    ]);
    expect(JSON.stringify(lines())).not.toMatch(/mistake|hunter2/);
  });

  it('the access log leaves out a share of the answers that anybody can cause in any number, and no other answer', async () => {
    const { get, lines } = logged(0);
    await get('/things/1'); // answered
    await get('/things/1', 'no identity'); // refused as unknown
    await get('/nowhere', 'no identity'); // not found, for an unknown caller
    await get('/over'); // over a limit
    await get('/shut'); // refused because the key has expired
    await get('/gone/1');
    await get('/down', 'no identity'); // failed, for an unknown caller
    await get('/busy');
    await has(lines, [
      expect.objectContaining({ route: '/gone/:id', status: 404, account: 'acct_1' }),
      expect.objectContaining({ route: '/busy', status: 503, account: 'acct_1' }),
    ]);
  });

  it('the access log has probes at level debug alone', async () => {
    const [usual, more] = [logged(1), logged(1, 'debug')];
    for (const { get } of [usual, more]) await get('/healthz');
    await usual.get('/door');
    await has(usual.lines, [expect.objectContaining({ route: '/door' })]);
    await has(more.lines, [expect.objectContaining({ level: 'debug', route: '/healthz', status: 200 })]);
  });
});
