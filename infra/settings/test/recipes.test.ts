import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string) => readFileSync(`${root}${file}`, 'utf8');
const page = read('CONTRIBUTING.md');
const recipes = page.slice(page.indexOf('\n## Recipes\n'));

/** Steps: "- `file`: what to change there", over one line or several. */
const steps = [...recipes.matchAll(/^- `([^`]+)`: ((?:.+\n?)(?: {2}.+\n)*)/gm)].map(
  ([, file = '', text = '']) => ({
    file,
    names: [...text.matchAll(/`([A-Za-z_]\w*)`/g)].map(([, name = '']) => name),
  }),
);

describe('the recipes of CONTRIBUTING.md', () => {
  it('name only files that exist, in every step and in what follows', () => {
    const paths = [...recipes.matchAll(/`((?:clients|docs|infra|packages|services)\/[^\s`]+)`/g)].map(
      ([, path = '']) => path,
    );
    const arguments_ = [...recipes.matchAll(/^npx pnpm@12 test(?::e2e)? (.+)$/gm)].flatMap(([, list = '']) =>
      list.split(' '),
    );
    // Arguments of `test` are beginnings of paths.
    const found = (path: string) =>
      existsSync(`${root}${path}`) ||
      ['.int.test.ts', '.e2e.test.ts', '.test.ts'].some((end) => existsSync(`${root}${path}${end}`));
    expect(steps.length).toBeGreaterThan(10);
    expect(steps.length).toBe(recipes.match(/^- /gm)?.length);
    expect([...paths, ...arguments_].filter((path) => !path.startsWith('<') && !found(path))).toEqual([]);
  });

  it('name only words that are in the file of the step', () => {
    const missing = steps.flatMap(({ file, names }) =>
      names
        .filter((name) => !new RegExp(`\\b${name}\\b`).test(read(file)))
        .map((name) => `${name} in ${file}`),
    );
    expect(steps.flatMap(({ names }) => names).length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
  });

  it('name only commands that there are', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const commands = [...page.matchAll(/npx pnpm@12 ([a-z][\w:]*)/g)].map(([, name = '']) => name);
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it('show how to add a field, a route, an event, a setting and a metric', () => {
    const titles = [...recipes.matchAll(/^### (.+)$/gm)].map(([, title]) => title);
    expect(titles).toEqual([
      'Add a field to signals',
      'Add a route',
      'Add an event',
      'Add a setting',
      'Add a metric',
    ]);
  });
});
