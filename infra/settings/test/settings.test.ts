import { readFileSync } from 'node:fs';
import { readConfig, settings } from '@sigcast/runtime';
import { describe, expect, it } from 'vitest';
import { describe as describeSetting, descriptions } from '../src/descriptions.ts';
import { settingsPage } from '../src/markdown.ts';
import { type Program, programs } from '../src/programs.ts';
import { settingsOf } from '../src/settings-of.ts';

const all: readonly Program[] = [...programs.services, ...programs.commands];

describe('docs/settings.md', () => {
  it('is up to date; if not, `npx pnpm@12 docs:settings` writes it again', () => {
    const page = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8');
    expect(page).toBe(settingsPage());
  });

  it('describes every setting, and nothing that is no setting', () => {
    const used = all.flatMap(({ name, read }) =>
      settingsOf(read).map((setting) => {
        expect(describeSetting(name, setting.name)).toMatch(/\S/);
        return [`${setting.name} @${name}`, setting.name];
      }),
    );
    expect(Object.keys(descriptions).filter((key) => !used.flat().includes(key))).toEqual([]);
  });
});

describe('the settings of a program', () => {
  it('are listed with whether they are required, their defaults and their valid values', () => {
    const read = (env: Record<string, string | undefined>) =>
      readConfig(
        {
          STORE: settings.url('redis:'),
          PAUSE_MS: settings.integer(50, 1, 100),
          OPEN: settings.flag,
          NAME: settings.name(''),
        },
        env,
      );
    expect(settingsOf(read)).toEqual([
      { name: 'STORE', required: true, values: 'an address that begins with redis://' },
      { name: 'PAUSE_MS', required: false, fallback: '50', values: 'a whole number from 1 to 100' },
      { name: 'OPEN', required: false, fallback: 'false', values: 'true, false' },
      { name: 'NAME', required: false },
    ]);
  });
});
