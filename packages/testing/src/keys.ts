import { generateKeyPairSync } from 'node:crypto';

/** A new EC P-256 key pair in PEM form, for signing identity tokens. */
export function testKeyPair(): { privateKey: string; publicKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}
