import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { setDefaultCACertificates } from 'node:tls';
import { type TestAuthority, testAuthority } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failureText } from '../src/sending/failure-text.ts';
import { type Sender, sender } from '../src/sending/sender.ts';
import { claimedFor } from './claimed.ts';
import { testSealer } from './test-sealer.ts';
import { developmentPolicy } from './test-workers.ts';

let authority: TestAuthority;
let sending: Sender;
const servers: Server[] = [];
beforeAll(async () => {
  authority = await testAuthority();
  setDefaultCACertificates([authority.ca]);
  sending = sender({ policy: developmentPolicy, secrets: testSealer, now: Date.now });
});
afterAll(async () => {
  await sending.close();
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
const errorAt = async (url: string) => (await sending.send(claimedFor(url))).error;
const failedHandshake = /^The TLS handshake failed \([A-Z_]+\)$/;

it('a failed attempt says in plain words that the connection was refused', async () => {
  expect(await errorAt('http://127.0.0.1:1/')).toBe('The connection was refused (ECONNREFUSED)');
});

it('a failed attempt says in plain words that the certificate is for another host', async () => {
  const port = await listen(
    createServer(await authority.issue('elsewhere.test'), (_, answer) => answer.end()),
  );
  // Twice, because the TLS session of the first connection must not be resumed without a check.
  for (const _ of [1, 2]) {
    expect(await errorAt(`https://127.0.0.1:${port}/`)).toBe(
      'The certificate is for another host name (ERR_TLS_CERT_ALTNAME_INVALID)',
    );
  }
});

it('a failed attempt says in plain words that the certificate leads to no known authority', async () => {
  const stranger = await testAuthority();
  const port = await listen(createServer(await stranger.issue('127.0.0.1'), (_, answer) => answer.end()));
  expect(await errorAt(`https://127.0.0.1:${port}/`)).toMatch(
    /^The certificate does not lead to a public authority, or certificates in between are missing \([A-Z_]+\)$/,
  );
});

it('a failed attempt says in plain words that the receiver does not speak TLS', async () => {
  const port = await listen(createHttpServer((_, answer) => answer.end()));
  expect(await errorAt(`https://127.0.0.1:${port}/`)).toMatch(failedHandshake);
});

it('a failed attempt says in plain words that the receiver speaks no version of TLS that we do', async () => {
  const certificate = await authority.issue('127.0.0.1');
  const old = {
    ...certificate,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT:@SECLEVEL=0',
  } as const;
  const port = await listen(createServer(old, (_, answer) => answer.end()));
  expect(await errorAt(`https://127.0.0.1:${port}/`)).toMatch(failedHandshake);
});

it.each([
  [{ code: 'CERT_HAS_EXPIRED' }, 'The certificate has expired (CERT_HAS_EXPIRED)'],
  [{ code: 'ESERVFAIL', syscall: 'queryA' }, 'The host name could not be resolved (ESERVFAIL)'],
  [{ code: 'ECONNREFUSED', syscall: 'queryAaaa' }, 'The host name could not be resolved (ECONNREFUSED)'],
  [{ code: 'ENOTFOUND', syscall: 'queryA' }, 'The host name does not exist (ENOTFOUND)'],
])('an error in the log of a known kind is named by what it means: %j', (error, text) => {
  expect(failureText(error)).toBe(text);
});

it.each([
  [{ code: 'EWHATEVER', message: 'at /usr/lib/node: --use-system-ca' }, 'The attempt failed (EWHATEVER)'],
  [{ code: 'toString' }, 'The attempt failed'],
  [{ code: '/etc/ssl', message: 'x' }, 'The attempt failed'],
  [new Error('error:0A000086:SSL routines::../deps/openssl/ssl.c:1889:'), 'The attempt failed'],
  [undefined, 'The attempt failed'],
])('an error in the log of an unknown kind is named by its code alone: %p', (error, text) => {
  expect(failureText(error)).toBe(text);
});
