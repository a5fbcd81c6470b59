import { isIP } from 'node:net';
import { generate } from 'selfsigned';

/** A certificate and its private key, in PEM form. */
export type Certificate = { readonly cert: string; readonly key: string };

/** A certificate authority that nobody trusts unless told to. */
export type TestAuthority = {
  /** The authority's own certificate, in PEM form: what clients are given to trust. */
  readonly ca: string;
  /** A server's certificate for these host names and addresses, valid for a day. */
  issue(...hosts: readonly [string, ...string[]]): Promise<Certificate>;
};

const dayMs = 86_400_000;

/** Makes an authority of the calling test's own. Its key is in memory only. */
export async function testAuthority(): Promise<TestAuthority> {
  const authority = await generate([{ name: 'commonName', value: 'Test authority' }], {
    ...common(),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return {
    ca: authority.cert,
    issue: async (...hosts) => {
      const issued = await generate([{ name: 'commonName', value: hosts[0] }], {
        ...common(),
        ca: { cert: authority.cert, key: authority.private },
        extensions: [
          { name: 'basicConstraints', cA: false },
          { name: 'keyUsage', digitalSignature: true, critical: true },
          { name: 'extKeyUsage', serverAuth: true },
          { name: 'subjectAltName', altNames: hosts.map(alternativeName) },
        ],
      });
      return { cert: issued.cert, key: issued.private };
    },
  };
}

/** From an hour ago, as clocks differ, for a day. */
function common() {
  const nowMs = Date.now();
  return {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(nowMs - dayMs / 24),
    notAfterDate: new Date(nowMs + dayMs),
  } as const;
}

/** RFC 5280, 4.2.1.6: names and addresses are of different types. */
function alternativeName(host: string): { type: 2; value: string } | { type: 7; ip: string } {
  return isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host };
}
