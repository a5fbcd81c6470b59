/**
 * A service, as the audience of identity tokens. They say inside the system who asks: JSON Web Tokens (RFC 7519, ES256) that
 * a service can verify but not make. The gateway signs one per account and service for proxied requests; an operator's
 * command signs one for a producer. No other service than the audience accepts a token, so one that leaks from a service is
 * of no use elsewhere.
 */
export type ServiceName = 'signals' | 'stats' | 'webhooks' | 'tracker';

/** Audience of the access tokens of account holders. No service accepts them as identity tokens. */
export const accountAudience = 'sigcast-account';

/** Audience of the cookies by which devices show that they have signed in before. They give no access. */
export const deviceAudience = 'sigcast-device';

/** Audience of the challenges that passkeys sign. They give no access. */
export const passkeyAudience = 'sigcast-passkey';

/** Audience of the tokens in mails by which their recipient unsubscribes. They give no access. */
export const unsubscribeAudience = 'sigcast-unsubscribe';

/** Audiences of the tokens in links of mails: to create an account, to set a new password, and to confirm an address. */
export const signUpAudience = 'sigcast-sign-up';
export const resetAudience = 'sigcast-reset';
export const confirmAudience = 'sigcast-confirm';
/** Audience of the tokens in mails by which somebody becomes a member of an account. */
export const invitationAudience = 'sigcast-invitation';

/** Who accepts a token. The scanner has no operations of the API. */
export type TokenAudience =
  | ServiceName
  | 'scanner'
  | typeof accountAudience
  | typeof deviceAudience
  | typeof passkeyAudience
  | typeof unsubscribeAudience
  | typeof signUpAudience
  | typeof resetAudience
  | typeof confirmAudience
  | typeof invitationAudience;

/** Who signed an identity token. `gateway`: for an account's request. `operator`: for an internal producer. */
export type IdentityIssuer = 'gateway' | 'operator';

/** The scope that a producer needs to write signals. */
export const signalsWriteScope = 'signals:write';

/** The scope that the tracker needs besides: it decides statuses by rules, and says what they rest on. */
export const signalsDecideScope = 'signals:decide';

/** The scope that an operator command needs to read all signals with their `rev`. */
export const signalsReadScope = 'signals:read';

/** The header with the identity token. The gateway does not forward the client's own `Authorization`. */
export const identityHeader = 'x-sigcast-identity';
