import { readFileSync } from 'node:fs';
import { reads, settings } from '@sigcast/runtime';
import { describe, expect, it } from 'vitest';
import { settingsPage } from '../src/markdown.ts';
import { settingsOf } from '../src/settings-of.ts';

describe('docs/settings.md', () => {
  it('is up to date; if not, `npx pnpm@12 docs:settings` writes it again', () => {
    const page = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8');
    expect(page).toBe(settingsPage());
  });
});

describe('the settings of a program', () => {
  it('are listed with whether they are required, their defaults, their valid values and what they are for', () => {
    const read = reads({
      STORE: settings.url('redis:').describe('Where.'),
      PAUSE_MS: settings.integer(50, 1, 100).describe('Milliseconds.'),
      OPEN: settings.flag.describe('Whether.'),
      NAME: settings.name('').describe('Who.'),
    });
    expect(settingsOf(read)).toEqual([
      {
        name: 'STORE',
        required: true,
        values: 'an address that begins with redis://',
        description: 'Where.',
      },
      {
        name: 'PAUSE_MS',
        required: false,
        fallback: '50',
        values: 'a whole number from 1 to 100',
        description: 'Milliseconds.',
      },
      { name: 'OPEN', required: false, fallback: 'false', values: 'true, false', description: 'Whether.' },
      { name: 'NAME', required: false, description: 'Who.' },
    ]);
  });

  it('have a description where they are declared', () => {
    expect(() => settingsOf(reads({ NAME: settings.name('') }))).toThrow('NAME has no description');
  });
});
