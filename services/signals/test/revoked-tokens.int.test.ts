import { connectMongo } from '@sigcast/mongo';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runOperator } from '../src/operator/run.ts';
import { followRevokedTokens, mongoRevokedTokens } from '../src/store/revoked-tokens.ts';
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
  return openService({ model: await openModel(stack, resources), identities, isRevoked });
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
  expect((await operator('list')).said).toEqual({
    tokens: [{ id: idOf(producer), revoked_at: expect.any(String) as unknown }],
  });
  expect(await operator('revoke', 'feed')).toMatchObject({ status: 2 });
});

it('an import ends at its next batch when its token is revoked meanwhile', async () => {
  let asked = 0;
  // Revoked after the guard and the first batch have asked.
  const { api, model } = openService({ model: service.model, identities, isRevoked: () => ++asked > 2 });
  const line = JSON.stringify(sampleBody({ name: 'revoked' }));
  expect((await api.import(`${line}\n`.repeat(1_001))).status).toBe(401);
  expect(await model.countDocuments({ 'token.name': 'revoked' })).toBe(500);
});
