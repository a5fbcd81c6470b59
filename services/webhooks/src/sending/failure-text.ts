const resetText = 'The connection was closed before an answer came';
const unreachableText = 'The address cannot be reached';
const ownSignatureText = 'The certificate is signed by itself and not by a public authority';
const chainText =
  'The certificate does not lead to a public authority, or certificates in between are missing';

/** The text of each error code of the system, of c-ares (DNS), of OpenSSL and of the HTTP parser. */
const texts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: resetText,
  EPIPE: resetText,
  ETIMEDOUT: 'The connection was not made in time',
  EHOSTUNREACH: unreachableText,
  ENETUNREACH: unreachableText,
  EADDRNOTAVAIL: unreachableText,
  ENOTFOUND: 'The host name does not exist',
  ENODATA: 'The host name has no IP address',
  CERT_HAS_EXPIRED: 'The certificate has expired',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: ownSignatureText,
  SELF_SIGNED_CERT_IN_CHAIN: ownSignatureText,
  CERT_SIGNATURE_FAILURE: chainText,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: chainText,
  UNABLE_TO_GET_ISSUER_CERT: chainText,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: chainText,
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another host name',
  EPROTO: 'The TLS handshake failed',
  HPE_HEADER_OVERFLOW: 'The headers of the answer are larger than 16 kB',
  TOO_MANY_INTERIM_ANSWERS: 'More than 20 interim answers (1xx) came before the answer',
};

/** The text about a failed attempt in the delivery log: a sentence and the error's code, and nothing else of the error. */
export function failureText(error: unknown): string {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  if (typeof code !== 'string' || !/^[A-Z0-9_]+$/.test(code)) return 'The attempt failed';
  return `${sentence(code, syscall)} (${code})`;
}

function sentence(code: string, syscall: unknown): string {
  // For a failed DNS query the code is about the name server: ECONNREFUSED means that the name server refused.
  const isDnsQuery = typeof syscall === 'string' && syscall.startsWith('query');
  if (isDnsQuery && code !== 'ENOTFOUND' && code !== 'ENODATA') return 'The host name could not be resolved';
  if (Object.hasOwn(texts, code)) return texts[code] ?? '';
  if (code.startsWith('HPE_')) return 'The answer is not valid HTTP';
  if (code.startsWith('ERR_SSL_')) return 'The TLS handshake failed';
  return 'The attempt failed';
}
