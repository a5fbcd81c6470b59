import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const lines = readFileSync(`${root}docs/promises.md`, 'utf8').split('\n');

/** The tests that docs/promises.md names: `file`: "name", in lines below a promise. */
const named = lines.flatMap((line) => {
  const [, file, name] = /^ {2}- `([^`]+)`: "(.+)"$/.exec(line) ?? [];
  return file !== undefined && name !== undefined ? [{ file, name }] : [];
});

/** Whether a test file has a test of this name that is not skipped: it follows `it(`, `test(` or the table of an `each`. */
function hasTest(file: string, name: string): boolean {
  if (!existsSync(`${root}${file}`)) return false;
  const code = readFileSync(`${root}${file}`, 'utf8');
  const quoted = [`'${name.replaceAll("'", "\\'")}'`, `"${name}"`, `\`${name}\``];
  return quoted.some((text) => {
    const at = [`(${text},`, `  ${text},`].map((call) => code.indexOf(call)).find((index) => index >= 0);
    if (at === undefined) return false;
    const calls = [...code.slice(0, at + 1).matchAll(/^\s*((?:it|test|describe)\b(?:\.\w+)*)/gm)];
    return /^(?:it|test)(?:\.concurrent)?(?:\.each)?$/.test(calls.at(-1)?.[1] ?? '');
  });
}

describe('docs/promises.md', () => {
  it('names only tests that exist, each by its file and its name', () => {
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(({ file, name }) => !hasTest(file, name))).toEqual([]);
  });

  it('names at least one test for each promise, and nothing that it does not check', () => {
    const bullets = lines.filter((line) => /^\s*- /.test(line));
    const promises = bullets.filter((line) => line.startsWith('- '));
    const untested = bullets.filter(
      (line, n) => line.startsWith('- ') && !bullets[n + 1]?.startsWith('  - '),
    );
    expect(promises.length).toBeGreaterThan(0);
    expect(untested).toEqual([]);
    expect(bullets.length - promises.length).toBe(named.length);
  });
});
