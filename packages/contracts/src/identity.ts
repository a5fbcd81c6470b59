/**
 * Who asks, inside the system: a JSON Web Token (RFC 7519, ES256) that a service can verify but not make.
 * The gateway signs one per account for proxied requests; an operator's command signs one for a producer.
 */
export const identityAudience = 'sigcast';

/** Audience of the tokens that account holders' browsers carry: no service takes them for an identity. */
export const accountAudience = 'sigcast-account';

/** `gateway`: an account's request passed on. `operator`: a token handed to an internal producer. */
export type IdentityIssuer = 'gateway' | 'operator';

/** The scope a producer needs to write signals. */
export const signalsWriteScope = 'signals:write';

/** The scope a service's operator command needs to read all signals, each with the number of its last change. */
export const signalsReadScope = 'signals:read';

/** Header in which the gateway passes the identity on; the client's own `Authorization` stops at the gateway. */
export const identityHeader = 'x-sigcast-identity';
