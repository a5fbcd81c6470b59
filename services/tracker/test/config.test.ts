import { generateKeyPairSync } from 'node:crypto';
import { checkpointText, leafHash, signNote } from '@sigcast/tlog';
import { expect, it } from 'vitest';
import { readTrackerConfig } from '../src/config.ts';

const pemOf = (kind: 'ed25519' | 'x25519') =>
  generateKeyPairSync(kind as 'ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const key = pemOf('ed25519');
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const origin = 'log.example/log';
const env = {
  MONGODB_URI: 'mongodb://store',
  AMQP_URL: 'amqp://broker',
  GATEWAY_PUBLIC_KEYS: '-----BEGIN PUBLIC KEY-----',
  LOG_ORIGIN: origin,
};

it('takes one signing key of the log, or two while it is replaced', () => {
  for (const count of [1, 2]) {
    const { LOG_PRIVATE_KEYS: keys } = readTrackerConfig({ ...env, LOG_PRIVATE_KEYS: key.repeat(count) });
    expect(keys).toHaveLength(count);
  }
});

it.each([
  ['an elliptic curve key', ec.export({ type: 'pkcs8', format: 'pem' })],
  ['an elliptic curve key in its own form', ec.export({ type: 'sec1', format: 'pem' })],
  ['a key for other uses', pemOf('x25519')],
  ['another kind of key behind the first one', `${key}${String(ec.export({ type: 'sec1', format: 'pem' }))}`],
  ['a second key that breaks off', `${key}${key.slice(0, 60)}`],
  ['text that is no key', key.replace(/M[\w/+=]+/, 'AAAA')],
])('refuses %s as a signing key of the log, and names the setting', (_, pem) => {
  expect(() => readTrackerConfig({ ...env, LOG_PRIVATE_KEYS: String(pem) })).toThrow(
    'LOG_PRIVATE_KEYS: must be Ed25519 private keys in PEM form, and nothing else',
  );
});

it('takes a published checkpoint of its own log alone', () => {
  const root = leafHash(Buffer.from('x'));
  const noteOf = (name: string) =>
    signNote(checkpointText({ origin: name, size: 1, root }), [
      { name, privateKey: generateKeyPairSync('ed25519').privateKey },
    ]);
  const read = (note: string) => readTrackerConfig({ ...env, LOG_PRIVATE_KEYS: key, LOG_CHECKPOINT: note });
  expect(read(noteOf(origin).trim()).LOG_CHECKPOINT).toEqual({ origin, size: 1, root });
  expect(() => read(noteOf('other.example/log'))).toThrow('LOG_CHECKPOINT: is not of the log LOG_ORIGIN');
  expect(() => read('1')).toThrow('LOG_CHECKPOINT: must be a checkpoint of the log');
});
