import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** What the image of a name is made of, where that is no service. */
const others: Readonly<Record<string, string>> = { setup: 'infra/docker', market: 'infra/local' };

it('each image says the version of what is in it', () => {
  const labels = /image\.title=sigcast-(\w+) org\.opencontainers\.image\.version=(\S+)/g;
  const said = [...read('infra/docker/Dockerfile').matchAll(labels)].map(([, name, version]) => ({
    name,
    version,
  }));
  expect(said.map(({ name }) => name)).toEqual([
    'gateway',
    'signals',
    'stats',
    'webhooks',
    'tracker',
    'setup',
    'market',
  ]);
  for (const { name = '', version } of said) {
    const { version: its } = JSON.parse(read(`${others[name] ?? `services/${name}`}/package.json`)) as {
      version: string;
    };
    expect([name, version]).toEqual([name, its]);
  }
});

it.each(['gateway', 'signals', 'stats', 'webhooks', 'tracker', 'dashboard'])(
  'the change log of %s tells of its version, and of what is not released yet',
  (name) => {
    const { version } = JSON.parse(read(`services/${name}/package.json`)) as { version: string };
    const headings = read(`services/${name}/CHANGELOG.md`).match(/^## .*$/gm);
    expect(headings?.[0]).toBe('## [Unreleased]');
    expect(headings?.[1]).toMatch(
      new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}$`),
    );
  },
);
