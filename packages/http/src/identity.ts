import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { type IdentityIssuer, identityHeader, SigcastError, type TokenAudience } from '@sigcast/contracts';
import { newId } from '@sigcast/runtime';
import type { RequestHandler } from 'express';
import jwt from 'jsonwebtoken';

/** Who a request is made for, as a verified token says. */
type Identity = {
  readonly issuer: IdentityIssuer;
  readonly subject: string;
  readonly scopes: readonly string[];
  /** The session it belongs to (`sid`, OpenID Connect), for access tokens of account holders. */
  readonly sessionId?: string;
  /** The person who acts for the subject, where it is not the subject's own: in access tokens of account holders. */
  readonly person?: string;
  /** Until when the token is valid. */
  readonly expiresAt: Date;
  /** The token's own id (`jti`), by which it can be revoked; every token of an operator has one. */
  readonly tokenId?: string;
  /** How many webhooks its account may have; in tokens for requests that make one. */
  readonly webhooks?: number;
  /** Whether its webhooks wait until its holder has verified the e-mail address; in the same tokens. */
  readonly unverified?: boolean;
};

/** Signs identity tokens with an EC P-256 private key (JWT, RFC 7519, algorithm ES256). */
export type IdentitySigner = (claims: {
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly ttlS: number;
  readonly sessionId?: string;
  readonly person?: string;
  readonly webhooks?: number;
  readonly unverified?: boolean;
}) => string;

/**
 * Creates a signer of identity tokens. Those of an operator have an id (`jti`): they are valid for long, so each of them can
 * be revoked.
 * @param audience the only one that accepts the tokens.
 * @throws when the key is not an EC P-256 private key.
 */
export function identitySigner(
  issuer: IdentityIssuer,
  privateKeyPem: string,
  audience: TokenAudience,
): IdentitySigner {
  const key = createPrivateKey(privateKeyPem);
  requireP256(key);
  const keyid = keyId(createPublicKey(key));
  return ({ subject, scopes, ttlS, sessionId, person, webhooks, unverified }) =>
    jwt.sign(
      {
        scope: scopes.join(' '),
        ...(sessionId !== undefined && { sid: sessionId }),
        ...(person !== undefined && { person }),
        ...(webhooks !== undefined && { webhooks }),
        ...(unverified && { unverified }),
      },
      key,
      {
        algorithm: 'ES256',
        keyid,
        issuer,
        subject,
        audience,
        expiresIn: ttlS,
        ...(issuer === 'operator' && { jwtid: newId('tok') }),
      },
    );
}

/** Verifies identity tokens against the public keys of one issuer. */
export type IdentityVerifier = (token: string) => Identity;

/**
 * Creates a verifier of identity tokens for one audience. Several public keys may be given (PEM blocks one after the other), so that keys
 * rotate without a pause. The verifier throws {@link SigcastError} UNAUTHORIZED for anything but a valid, unexpired token.
 */
export function identityVerifier(
  issuer: IdentityIssuer,
  publicKeysPem: string,
  audience: TokenAudience,
): IdentityVerifier {
  const keys = new Map(
    pemBlocks(publicKeysPem).map((pem) => {
      const key = createPublicKey(pem);
      requireP256(key);
      return [keyId(key), key] as const;
    }),
  );
  return withCache((token) => {
    try {
      const kid = jwt.decode(token, { complete: true })?.header.kid;
      const key = kid === undefined ? undefined : keys.get(kid);
      if (!key) throw new Error('signed by an unknown key');
      const claims = jwt.verify(token, key, {
        algorithms: ['ES256'],
        issuer,
        audience,
        clockTolerance: 5,
      });
      if (typeof claims === 'string' || typeof claims.sub !== 'string' || claims.exp === undefined) {
        throw new Error('claims are missing');
      }
      if (issuer === 'operator' && claims.jti === undefined) throw new Error('it could not be revoked');
      const { scope, sid, person, webhooks, unverified } = claims as Readonly<Record<string, unknown>>;
      return {
        issuer,
        subject: claims.sub,
        scopes: typeof scope === 'string' ? scope.split(' ').filter(Boolean) : [],
        ...(typeof sid === 'string' && { sessionId: sid }),
        ...(typeof person === 'string' && { person }),
        ...(claims.jti !== undefined && { tokenId: claims.jti }),
        ...(typeof webhooks === 'number' && { webhooks }),
        ...(unverified === true && { unverified }),
        expiresAt: new Date(claims.exp * 1_000),
      };
    } catch (cause) {
      throw new SigcastError('UNAUTHORIZED', 'The service token is missing or invalid', { cause });
    }
  });
}

/** Tokens that a verifier caches at most. The gateway uses one token per account and service for half a minute. */
const maxCachedTokens = 1_000;

/** Caches verified tokens: a token comes with many requests, and verifying takes longer than answering some of them. */
function withCache(verify: IdentityVerifier): IdentityVerifier {
  const verified = new Map<string, Identity>();
  return (token) => {
    const known = verified.get(token);
    if (known && known.expiresAt.getTime() > Date.now()) return known;
    verified.delete(token);
    const identity = verify(token);
    const [oldest] = verified.keys();
    if (verified.size >= maxCachedTokens && oldest !== undefined) verified.delete(oldest);
    verified.set(token, identity);
    return identity;
  };
}

const identities = new WeakMap<object, Identity>();

/** Lets only requests pass that carry the gateway's identity token; `identityOf` then says whose they are. */
export function requireGatewayIdentity(verify: IdentityVerifier): RequestHandler {
  return (req, _res, next) => {
    const token = req.headers[identityHeader];
    identities.set(req, verify(typeof token === 'string' ? token : ''));
    next();
  };
}

/** Lets only requests pass whose bearer token has `scope`; another valid token is 403. */
export function requireScope(verify: IdentityVerifier, scope: string): RequestHandler {
  return (req, _res, next) => {
    const [scheme, token] = (req.headers.authorization ?? '').split(' ');
    const identity = verify(scheme?.toLowerCase() === 'bearer' ? (token ?? '') : '');
    if (!identity.scopes.includes(scope)) {
      throw new SigcastError('FORBIDDEN', `The service token lacks the scope ${scope}`);
    }
    identities.set(req, identity);
    next();
  };
}

/** The identity that a guard above has verified. @throws when no guard ran: a bug in the route's wiring. */
export function identityOf(req: object): Identity {
  const identity = identities.get(req);
  if (!identity) throw new Error('this route has no identity guard');
  return identity;
}

/** The identity that a guard above has verified; undefined when no guard ran. */
export function knownIdentity(req: object): Identity | undefined {
  return identities.get(req);
}

/** The public part of a private key, in PEM form. */
export function publicKeyOf(privateKeyPem: string): string {
  return createPublicKey(privateKeyPem).export({ type: 'spki', format: 'pem' }).toString();
}

/** A key's id (`kid`): the start of the SHA-256 of its public part. */
function keyId(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url')
    .slice(0, 16);
}

function pemBlocks(text: string): string[] {
  const blocks = text.match(/-----BEGIN PUBLIC KEY-----[\s\S]*?-----END PUBLIC KEY-----/g);
  if (!blocks) throw new Error('no public key in PEM form');
  return blocks;
}

function requireP256(key: KeyObject): void {
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new Error('an EC P-256 key is required (ES256)');
  }
}
