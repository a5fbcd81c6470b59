import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Program, programs } from '../src/programs.ts';
import { settingsOf } from '../src/settings-of.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(`${root}docs/operations.md`, 'utf8');
const code = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);
const sources = globSync('{services,packages}/*/src/**/*.ts', { cwd: root })
  .map((file) => readFileSync(`${root}${file}`, 'utf8'))
  .join('\n');

/** The texts that are not there. @throws when there are no texts, as nothing would be checked. */
function missing(texts: readonly string[], isThere: (text: string) => boolean): string[] {
  expect(texts.length).toBeGreaterThan(0);
  return texts.filter((text) => !isThere(text));
}

describe('docs/operations.md', () => {
  it('names metrics that processes have', () => {
    const metrics = code.flatMap((text) => /^sigcast_[a-z_]+/.exec(text) ?? []);
    // Only the beginning of a text: the page adds labels, which the sources write apart from the name.
    expect(missing(metrics, (name) => sources.includes(`'${name}`))).toEqual([]);
  });

  it('quotes log lines as they are written', () => {
    const failures = page.slice(page.indexOf('## What each failure looks like'));
    const seen = failures.split('\n').map((row) => row.split(' | ')[1] ?? '');
    const quoted = seen.flatMap((cell) =>
      [...cell.matchAll(/`([a-z][^`]* [^`]*)`/g)].map(([, text = '']) => text),
    );
    const isThere = (line: string) => line.split('…').every((part) => sources.includes(part.trim()));
    expect(missing(quoted, isThere)).toEqual([]);
  });

  it('names settings that a program reads', () => {
    const all: readonly Program[] = [...programs.services, ...programs.commands];
    const known = new Set(all.flatMap(({ read }) => settingsOf(read).map(({ name }) => name)));
    const named = code.filter((text) => /^[A-Z]+(_[A-Z]+)+$/.test(text) && text !== 'KEY_EXPIRED');
    expect(missing(named, (name) => known.has(name.replace(/_FILE$/, '')))).toEqual([]);
  });

  it('names operator commands that there are', () => {
    const lines = [...code, ...page.split('\n')];
    const long = lines.flatMap((text) => [
      ...text.matchAll(/node services\/(\w+)\/src\/operator\.ts ([a-z ]+)/g),
    ]);
    const short = code.flatMap((text) => [...text.matchAll(/^(\w+) operator ([a-z ]+)/g)]);
    const commands = [...long, ...short].map(([, service = '', words = '']) => `${service} ${words.trim()}`);
    const isThere = (command: string) => {
      const [service = '', ...words] = command.split(' ');
      const files = globSync(`{services/${service}/src/operator,packages/operator/src}/*.ts`, { cwd: root });
      const usages = files.flatMap((file) =>
        [...readFileSync(`${root}${file}`, 'utf8').matchAll(/usage: ['`](.*)/g)].map(
          ([, usage = '']) => usage,
        ),
      );
      // One function makes several commands whose usage begins with `${name}`.
      const means = (word: string, at: number, usage: string) =>
        new RegExp(`^(${word}|\\$\\{name\\})$`).test(usage.split(/[ '`]/)[at] ?? '');
      return usages.some((usage) => words.slice(0, 2).every((word, at) => means(word, at, usage)));
    };
    expect(missing(commands, isThere)).toEqual([]);
  });

  it('links to pages that there are', () => {
    const links = [...page.matchAll(/\]\(([^)#]+)\)/g)].map(([, link = '']) => link);
    expect(missing(links, (link) => existsSync(`${root}docs/${link}`))).toEqual([]);
  });
});
