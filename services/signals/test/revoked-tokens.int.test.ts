import { connectMongo } from '@sigcast/mongo';
import { type Logger, silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runOperator } from '../src/operator/run.ts';
import { followRevokedTokens, mongoRevokedTokens } from '../src/store/revoked-tokens.ts';
import { mongoUsedTokens, noteUsedTokens } from '../src/store/used-tokens.ts';
import { openModel, openService, openStack, type Service, testIdentities } from './fixture.ts';
import { sampleBody } from './samples.ts';

const { stack, resources, close } = openStack();
const identities = testIdentities();
const log = silentLogger();
const database = stack.database('signals');
let service: Service;
beforeAll(async () => {
  service = await open();
});
afterAll(close);

/** The service as a process starts it. */
async function open(): Promise<Service> {
  const connection = await connectMongo({ uri: stack.mongodbUri, database }, log, resources);
  const isRevoked = await followRevokedTokens(mongoRevokedTokens(connection), log, resources);
  const noteToken = noteUsedTokens(mongoUsedTokens(connection), log, resources);
  return openService({ model: await openModel(stack, resources), identities, isRevoked, noteToken });
}

async function noteUse(use: { id: string; subject: string; scopes: string[] }) {
  const connection = await connectMongo({ uri: stack.mongodbUri, database }, log, resources);
  await mongoUsedTokens(connection).note([{ ...use, expiresAt: undefined, lastUsedAt: new Date() }]);
}

async function operator(...args: string[]) {
  const out: string[] = [];
  const env = { MONGODB_URI: stack.mongodbUri, MONGODB_DATABASE: database };
  const print = { out: (line: string) => void out.push(line), err: () => undefined };
  const status = await runOperator(['tokens', ...args, '--json'], env, print);
  return { status, said: JSON.parse(out.join('\n')) as Record<string, unknown> };
}

const post = async (token: string, at = service) =>
  (await at.api.post(sampleBody(), { authorization: `Bearer ${token}` })).status;
/** The id of a token, as its payload says. */
const idOf = (token: string) => {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  return (JSON.parse(payload) as { jti: string }).jti;
};

it('a service token that an operator revokes is refused within moments and after a restart, and no other token is', async () => {
  const { producer, otherProducer } = identities;
  expect(await post(producer)).toBe(201);
  expect(await operator('revoke', idOf(producer))).toMatchObject({ status: 0 });
  await eventually(async () => expect(await post(producer)).toBe(401));
  expect(await post(otherProducer)).toBe(201);
  expect(await post(producer, await open())).toBe(401);
  expect(await operator('revoke', 'feed')).toMatchObject({ status: 2 });
});

it('the service tokens that were used or revoked are listed, with whose they are, for what, when used, and never the token', async () => {
  const { otherProducer } = identities;
  const neverUsed = 'tok_01M825KRJ3A7FMQ1FZ61H4Y2NJ';
  const withoutEnd = { id: 'tok_01M825KRJ3A7FMQ1FZ61H4Y2NK', subject: 'feed', scopes: [] };
  await noteUse(withoutEnd);
  expect(await post(otherProducer)).toBe(201);
  await operator('revoke', neverUsed);
  await eventually(async () => {
    const { said } = await operator('list');
    const at = expect.stringMatching(/^\d{4}-.*Z$/) as unknown;
    expect(said.tokens).toEqual(
      expect.arrayContaining([
        {
          id: idOf(otherProducer),
          subject: expect.any(String) as unknown,
          scopes: ['signals:write'],
          expires_at: at,
          first_used_at: at,
          last_used_at: at,
          revoked_at: null,
        },
        {
          id: neverUsed,
          ...{ subject: null, scopes: null, expires_at: null, first_used_at: null, last_used_at: null },
          revoked_at: at,
        },
        expect.objectContaining({ id: withoutEnd.id, expires_at: null, last_used_at: at }),
      ]),
    );
    expect(JSON.stringify(said)).not.toContain(otherProducer);
  });
});

it('a use of a service token is written when the process stops right after it', async () => {
  const written: string[] = [];
  const note = async (uses: readonly { id: string }[]) => void written.push(...uses.map(({ id }) => id));
  const own = new AsyncDisposableStack();
  const noteToken = noteUsedTokens({ note }, log, own);
  noteToken({ id: 'tok_last', subject: 'feed', scopes: [], expiresAt: new Date() });
  await own.disposeAsync();
  expect(written).toEqual(['tok_last']);
});

it('a store that does not answer delays revocations, but neither for good nor in silence', async () => {
  let reads = 0;
  const revokedAt = new Date();
  // The second read never ends.
  const list = () => {
    reads += 1;
    if (reads === 2) return new Promise<never>(() => undefined);
    return Promise.resolve(reads === 1 ? [] : [{ id: 'tok_late', revokedAt }]);
  };
  const warnings: unknown[] = [];
  const warned = { ...log, warn: (said: unknown) => void warnings.push(said) } as unknown as Logger;
  await using own = new AsyncDisposableStack();
  const isRevoked = await followRevokedTokens({ list }, warned, own, { everyMs: 5, timeoutMs: 50 });
  await eventually(() => expect(isRevoked('tok_late')).toBe(true));
  expect(warnings).toMatchObject([{ err: { message: 'the store did not answer within 50 ms' } }]);
});

it('an import ends at its next batch when its token is revoked meanwhile, and says how far it came', async () => {
  let asked = 0;
  // Revoked after the guard and the first batch have asked.
  const { api, model } = openService({ model: service.model, identities, isRevoked: () => ++asked > 2 });
  const line = JSON.stringify(sampleBody({ name: 'revoked' }));
  const answer = await api.import(`{}\n${`${line}\n`.repeat(1_000)}`);
  expect(answer.status).toBe(401);
  expect(answer.body).toMatchObject({
    error: {
      message: expect.stringMatching(
        /revoked.* Of 500 lines before, 499 were created, 0 repeated and 1 failed$/,
      ) as unknown,
      details: expect.arrayContaining([
        { field: 'line 1', message: expect.any(String) as unknown },
      ]) as unknown,
    },
  });
  expect(await model.countDocuments({ 'token.name': 'revoked' })).toBe(499);
});
