import type { Request, Response } from 'express';
import { expect, it } from 'vitest';
import { AdmissionController } from '../src/domain/admission.ts';
import { createApiKey, keyIdOf } from '../src/domain/api-key.ts';
import type { Credentials } from '../src/domain/credentials.ts';
import { LocalCounters } from '../src/domain/local-counters.ts';
import { networksFrom } from '../src/domain/networks.ts';
import { accountUsage, dayMs } from '../src/domain/usage.ts';
import { requestLogger } from '../src/routes/log-request.ts';

const account = 'acct_01M825KRJ3A7FMQ1FZ61H4Y2NJ';
const from = '198.51.100.1';
const limits = { perMinute: 5, perDay: 100 };
const nowMs = Date.now();
const full = { used: 5, endsMs: nowMs + dayMs };
const usage = accountUsage({ nowMs, windowMs: 60_000 }, limits, [full, full]);
const never = () => Promise.reject(new Error('not to be asked'));

/** Under which keys a request is counted as refused, when its key is found so, and every limit is used up. */
async function countedUnder(state: Partial<Credentials>) {
  const { text, sha256 } = createApiKey(account);
  const restrictions = { scopes: null, networks: null, perMinute: null };
  const found: Credentials = {
    ...{ revoked: false, expiresAtMs: null, status: 'active', limits, restrictions },
    ...state,
  };
  const controller = new AdmissionController({
    shared: {
      admitKey: async (_account, { stamp }) =>
        stamp === 'now' ? { kind: 'limited', usage } : { kind: 'stale', stamp: 'now' },
      admitAddress: async () => ({ admitted: false, usage }),
      ...{ admitSession: never, admitNamed: never, refund: never, usedToday: never },
    },
    keyRepository: { find: async () => found },
    sessions: { find: never },
    local: new LocalCounters({ windowMs: 60_000, clock: Date.now }),
    clock: Date.now,
  });
  const noted: unknown[] = [];
  const noteRequest = (...[of, , refused]: [string, unknown, string?]) => void noted.push([of, refused]);
  const req = { socket: { bytesWritten: 0 }, method: 'GET', headers: {} } as Request;
  const answered = requestLogger({ noteRequest }, { req, res: { closed: true } as Response, from });
  const admission = await controller.admit(`Bearer ${text}`, from);
  expect(admission).toMatchObject({ admitted: false, error: { code: 'RATE_LIMIT_EXCEEDED' } });
  answered({ admission, route: undefined, status: 429, cost: 1 });
  return { noted, key: keyIdOf(sha256) };
}

it('a refused request is counted under its live key or with all dead ones, and one over the limits of its account under none', async () => {
  const networks = networksFrom(['203.0.113.0/24']);
  const narrowed = await countedUnder({ restrictions: { scopes: null, networks, perMinute: null } });
  expect(narrowed.noted).toEqual([[account, narrowed.key]]);
  for (const state of [{ revoked: true }, { expiresAtMs: 1 }, { status: 'suspended' }] as const) {
    expect((await countedUnder(state)).noted).toEqual([[account, 'dead']]);
  }
  expect((await countedUnder({})).noted).toEqual([[account, undefined]]);
});
