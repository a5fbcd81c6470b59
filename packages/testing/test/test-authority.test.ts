import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { type Certificate, testAuthority } from '../src/index.ts';

/** What a client sees that connects to a server with `certificate`: 'secure', or an error's code. */
async function shakeHands(
  certificate: Certificate,
  client: { readonly ca?: string; readonly servername?: string },
): Promise<string> {
  const server = createServer(certificate);
  server.on('tlsClientError', () => undefined); // when the client refuses the certificate
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, ...client });
  try {
    return await once(socket, 'secureConnect').then(
      () => 'secure',
      (error: NodeJS.ErrnoException) => String(error.code),
    );
  } finally {
    socket.destroy();
    server.close();
  }
}

describe('a test authority', () => {
  it('issues certificates that clients who trust it accept for the names and addresses in them', async () => {
    const { ca, issue } = await testAuthority();
    const certificate = await issue('127.0.0.1', 'store.test');
    expect(await shakeHands(certificate, { ca })).toBe('secure');
    expect(await shakeHands(certificate, { ca, servername: 'store.test' })).toBe('secure');
  });

  it('issues certificates that are refused for other names, and by clients who do not trust it', async () => {
    const { ca, issue } = await testAuthority();
    const other = await testAuthority();
    const certificate = await issue('store.test');
    expect(await shakeHands(certificate, { ca })).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await shakeHands(certificate, { ca: other.ca, servername: 'store.test' })).not.toBe('secure');
    expect(await shakeHands(certificate, { servername: 'store.test' })).not.toBe('secure');
  });
});
