import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../../docs/adr/', import.meta.url));
const read = (file: string) => readFileSync(`${folder}${file}`, 'utf8');
const files = readdirSync(folder).filter((name) => name !== 'README.md');
const mostWords = 400;

/** What the top of a page says: `# 4. Title`. */
const pages = files.map((file) => {
  const [, number, title] = /^# (\d+)\. (.+)\n/.exec(read(file)) ?? [];
  return { file, number, title };
});

/** The lines of the index: `- 4: [Title](file)`, or `- 5: see 29` where a page is gone. */
const lines = [...read('README.md').matchAll(/^- (\d+): (?:\[(.+)\]\((\S+)\)|see (\d+)|withdrawn)$/gm)];

describe('the index of decisions', () => {
  it('has a line for every number, and lists every page by its number and title', () => {
    expect(pages.length).toBeGreaterThan(0);
    const listed = lines.filter(([, , , file]) => file !== undefined);
    expect(listed.map(([, number, title, file]) => ({ file, number, title }))).toEqual(pages);
    expect(lines.map(([, number]) => Number(number))).toEqual(lines.map((_, at) => at + 1));
  });

  it('names a page for each decision that another one replaced', () => {
    const successors = lines.flatMap(([, , , , successor]) => successor ?? []);
    expect(successors.filter((number) => !pages.some((page) => page.number === number))).toEqual([]);
  });
});

describe('a decision', () => {
  it('has the number of its file, which no other decision has', () => {
    expect(files.map((file) => String(Number(file.slice(0, 4))))).toEqual(pages.map(({ number }) => number));
    expect(new Set(pages.map(({ number }) => number)).size).toBe(pages.length);
  });

  it('tells its context, decision, consequences and alternatives on one page', () => {
    for (const file of files) {
      const text = read(file);
      for (const part of ['Context', 'Decision', 'Consequences', 'Alternatives'])
        expect([file, part, text.includes(`**${part}.**`)]).toEqual([file, part, true]);
      expect([file, text.split(/\s+/).length <= mostWords]).toEqual([file, true]);
    }
  });

  it('links only to pages that exist', () => {
    const links = files.flatMap((file) =>
      [...read(file).matchAll(/\]\((\d{4}-\S+?\.md)\)/g)].map(([, to]) => to),
    );
    expect(links.filter((to) => !files.includes(to ?? ''))).toEqual([]);
  });
});
