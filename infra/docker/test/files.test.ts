import { readFileSync } from 'node:fs';
import { brokerUsers, completePasswords, redisUsers } from '@sigcast/local';
import { expect, it } from 'vitest';
import { secretFolders, storeUsers } from '../src/secret-folders.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** The package of an image that is not made of a service. */
const packageOf: Readonly<Record<string, string>> = { setup: 'infra/docker', market: 'infra/local' };

it('each image has the version of its package as a label', () => {
  const labels = /image\.title=sigcast-(\w+) org\.opencontainers\.image\.version=(\S+)/g;
  const said = [...read('infra/docker/Dockerfile').matchAll(labels)].map(([, name, version]) => ({
    name,
    version,
  }));
  expect(said.map(({ name }) => name)).toEqual([
    ...['gateway', 'signals', 'stats', 'webhooks', 'tracker', 'scanner', 'setup', 'market'],
  ]);
  for (const { name = '', version } of said) {
    const manifest = JSON.parse(read(`${packageOf[name] ?? `services/${name}`}/package.json`)) as object;
    expect([name, manifest]).toEqual([name, expect.objectContaining({ version })]);
  }
});

it.each(['gateway', 'signals', 'stats', 'webhooks', 'tracker', 'scanner', 'dashboard'])(
  'the change log of %s begins with unreleased changes and then has the present version',
  (name) => {
    const { version } = JSON.parse(read(`services/${name}/package.json`)) as { version: string };
    const headings = read(`services/${name}/CHANGELOG.md`).match(/^## .*$/gm);
    expect(headings?.[0]).toBe('## [Unreleased]');
    expect(headings?.[1]).toMatch(
      new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}$`),
    );
  },
);

it('webhooks of the system in containers reach no private network and no plain http unless whoever starts it says so', () => {
  const compose = read('docker-compose.yml');
  expect(compose).toMatch(/^ {2}WEBHOOK_ALLOW_HTTP: \$\{WEBHOOK_ALLOW_HTTP:-false\}$/m);
  expect(compose).toMatch(/^ {2}WEBHOOK_ALLOWED_NETWORKS: \$\{WEBHOOK_ALLOWED_NETWORKS:-\}$/m);
});

it('images are built with one version of pnpm, whose hash is in the repository', () => {
  expect(read('infra/docker/Dockerfile')).not.toMatch(/(?<!p)npm install/);
  const { packages } = JSON.parse(read('infra/docker/pnpm/package-lock.json')) as {
    packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
  };
  const { '': own, ...locked } = packages;
  expect(own).toHaveProperty('optionalDependencies');
  const versions = Object.values(locked).map(({ version, integrity }) => [version, integrity?.slice(0, 7)]);
  expect(new Set(versions.map(String)).size).toBe(1);
  expect(versions[0]).toEqual([expect.stringMatching(/^12\.\d+\.\d+$/), 'sha512-']);
});

it('a key that is missing is an error that names it, not an empty file', () => {
  const passwords = {
    keyfile: 'x',
    redis: completePasswords(['root', ...redisUsers]),
    rabbitmq: completePasswords(brokerUsers),
    mongo: completePasswords(['root', ...storeUsers]),
  };
  const keys = {
    'gateway-identity.private.pem': 'a',
    'gateway-identity.public.pem': 'b',
    'gateway-seal.keys': 'f',
    'operator.private.pem': 'c',
    'operator.public.pem': 'd',
    'log-signing.private.pem': 'f',
  };
  expect(() => secretFolders(passwords, keys)).toThrow('/secrets/keys has no key in webhook-seal.keys');
  const { webhooks } = secretFolders(passwords, { ...keys, 'webhook-seal.keys': 'e' });
  expect(webhooks?.files).toMatchObject({ 'webhook-seal.keys': 'e' });
});
