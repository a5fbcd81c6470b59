import { createHmac, generateKeyPairSync } from 'node:crypto';
import { accountAudience, identityHeader } from '@sigcast/contracts';
import { silentLogger } from '@sigcast/runtime';
import { testKeyPair } from '@sigcast/testing';
import type { RequestHandler } from 'express';
import jwt from 'jsonwebtoken';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import {
  createApp,
  finishApp,
  identityOf,
  identitySigner,
  identityVerifier,
  requireGatewayIdentity,
  requireScope,
  resource,
  sendData,
} from '../src/index.ts';

const keys = testKeyPair();
const signer = identitySigner('gateway', keys.privateKey, 'signals');
const verify = identityVerifier('gateway', keys.publicKey, 'signals');
const token = signer({ subject: 'acct_1', scopes: ['a', 'b'], ttlS: 60 });
const { kid } = (jwt.decode(token, { complete: true }) ?? { header: {} }).header as { kid: string };

const unauthorized = expect.objectContaining({ code: 'UNAUTHORIZED' }) as unknown;
const refused = (candidate: string) => {
  expect(() => verify(candidate)).toThrow(unauthorized as Error);
};
/** A token like the gateway's in all but what is given. */
const forged = (payload: object, options: jwt.SignOptions = {}, key = keys.privateKey) =>
  jwt.sign(payload, key, {
    algorithm: 'ES256',
    keyid: kid,
    issuer: 'gateway',
    subject: 'acct_1',
    audience: 'signals',
    expiresIn: 60,
    ...options,
  });

describe('an identity token', () => {
  it('an identity token says who asks and with which scopes', () => {
    expect(verify(token)).toEqual({
      expiresAt: expect.any(Date),
      issuer: 'gateway',
      subject: 'acct_1',
      scopes: ['a', 'b'],
    });
    expect(verify(forged({})).scopes).toEqual([]);
  });

  it('an identity token is refused more than five seconds after its expiry', () => {
    refused(forged({}, { expiresIn: -6 }));
    expect(verify(forged({}, { expiresIn: -3 })).subject).toBe('acct_1');
  });

  it('an identity token for another audience or from another issuer is refused', () => {
    refused(forged({}, { audience: 'elsewhere' }));
    refused(forged({}, { issuer: 'operator' }));
    refused(
      identitySigner('operator', keys.privateKey, 'signals')({ subject: 'acct_1', scopes: [], ttlS: 60 }),
    );
  });

  it.each(['stats', 'webhooks', 'tracker', accountAudience] as const)(
    'an identity token for signals is refused as one for %s',
    (audience) => {
      expect(() => identityVerifier('gateway', keys.publicKey, audience)(token)).toThrow(
        unauthorized as Error,
      );
    },
  );

  it('each token of an operator has an id of its own, and one without an id is refused: it could not be revoked', () => {
    const sign = identitySigner('operator', keys.privateKey, 'signals');
    const check = identityVerifier('operator', keys.publicKey, 'signals');
    const ids = [1, 2].map(() => check(sign({ subject: 'feed', scopes: [], ttlS: 60 })).tokenId);
    expect(ids).toEqual([expect.stringMatching(/^tok_/), expect.stringMatching(/^tok_/)]);
    expect(ids[0]).not.toBe(ids[1]);
    expect(() => check(forged({}, { issuer: 'operator' }))).toThrow(unauthorized as Error);
    expect(check(forged({}, { issuer: 'operator', jwtid: 'tok_1' })).tokenId).toBe('tok_1');
  });

  it('an unsigned identity token is refused, also with the id of a known key', () => {
    const claims = { sub: 'acct_1', iss: 'gateway', aud: 'signals', exp: 4_000_000_000 };
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    refused(`${encode({ alg: 'none', typ: 'JWT', kid })}.${encode(claims)}.`);
    refused(`${encode({ alg: 'ES256', typ: 'JWT', kid })}.${encode(claims)}.`);
  });

  it('an identity token is refused that is signed with the public key as a shared secret', () => {
    // Put together by hand: the library refuses to make such a token.
    const header = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT', kid })).toString('base64url');
    const signed = `${header}.${token.split('.')[1]}`;
    refused(`${signed}.${createHmac('sha256', keys.publicKey).update(signed).digest('base64url')}`);
    const secret = Buffer.from(keys.publicKey).toString('base64');
    refused(
      jwt.sign({ sub: 'acct_1' }, secret, {
        algorithm: 'HS256',
        keyid: kid,
        audience: 'signals',
        issuer: 'gateway',
        expiresIn: 60,
      }),
    );
  });

  it('an identity token signed by an unknown key is refused, also with the id of a known key', () => {
    const other = testKeyPair();
    refused(
      identitySigner('gateway', other.privateKey, 'signals')({ subject: 'acct_1', scopes: [], ttlS: 60 }),
    );
    refused(forged({}, {}, other.privateKey));
  });

  it('an identity token is refused without a subject or an expiry, and so is a text that is no token', () => {
    const claims = { iss: 'gateway', aud: 'signals' };
    const sign = (payload: object) => jwt.sign(payload, keys.privateKey, { algorithm: 'ES256', keyid: kid });
    refused(sign({ ...claims, exp: 4_000_000_000 }));
    refused(sign({ ...claims, sub: 'acct_1' }));
    for (const nonsense of ['', 'x', 'a.b.c', `${token}x`, '..']) refused(nonsense);
  });

  it('an identity token by any of several keys is accepted, so that keys rotate without a pause', () => {
    const next = testKeyPair();
    const both = identityVerifier('gateway', `${keys.publicKey}\n${next.publicKey}`, 'signals');
    const later = identitySigner(
      'gateway',
      next.privateKey,
      'signals',
    )({ subject: 'acct_2', scopes: [], ttlS: 60 });
    expect(both(token).subject).toBe('acct_1');
    expect(both(later).subject).toBe('acct_2');
    expect(() => identityVerifier('gateway', next.publicKey, 'signals')(token)).toThrow(
      unauthorized as Error,
    );
  });
});

describe('keys of another kind', () => {
  it('keys other than EC P-256 are refused where they are read', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    for (const { publicKey, privateKey } of [rsa, p384]) {
      const spki = publicKey.export({ type: 'spki', format: 'pem' }).toString();
      const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      expect(() => identityVerifier('gateway', spki, 'signals')).toThrow(/P-256/);
      expect(() => identitySigner('gateway', pkcs8, 'signals')).toThrow(/P-256/);
    }
    expect(() => identityVerifier('gateway', 'no key', 'signals')).toThrow(/PEM/);
  });
});

describe('the guards', () => {
  const answer: RequestHandler = (req, res) => sendData(res, identityOf(req));
  const app = createApp(silentLogger());
  resource(app, '/account', { GET: [requireGatewayIdentity(verify), answer] });
  resource(app, '/write', { GET: [requireScope(verify, 'b'), answer] });
  resource(app, '/other', { GET: [requireScope(verify, 'c'), answer] });
  resource(app, '/unguarded', { GET: answer });
  finishApp(app, silentLogger());

  it('requireGatewayIdentity accepts the identity header, and no bearer token', async () => {
    const response = await request(app).get('/account').set(identityHeader, token);
    expect(response.body).toMatchObject({ data: { subject: 'acct_1' } });
    const without = await request(app).get('/account').set('Authorization', `Bearer ${token}`);
    expect(without.status).toBe(401);
    expect(without.headers['www-authenticate']).toBe('Bearer');
  });

  it('requireScope answers 403 without the scope, and 401 without a token', async () => {
    const get = (path: string, header: string) => request(app).get(path).set('Authorization', header);
    expect((await get('/write', `Bearer ${token}`)).status).toBe(200);
    expect((await get('/write', `bearer ${token}`)).status).toBe(200);
    const forbidden = await get('/other', `Bearer ${token}`);
    expect(forbidden.status).toBe(403);
    expect(forbidden.body).toMatchObject({ error: { code: 'FORBIDDEN' } });
    expect((await get('/write', `Basic ${token}`)).status).toBe(401);
    expect((await get('/write', 'Bearer')).status).toBe(401);
  });

  it('a route that reads the identity without a guard fails with 500', async () => {
    expect((await request(app).get('/unguarded').set(identityHeader, token)).status).toBe(500);
  });
});
