import { generateKeyPairSync } from 'node:crypto';

/** A fresh EC P-256 key pair in PEM form, as service identities are signed with. */
export function testKeyPair(): { privateKey: string; publicKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}
