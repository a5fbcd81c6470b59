import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../../docs/adr/', import.meta.url));
const read = (file: string) => readFileSync(`${folder}${file}`, 'utf8');
const files = readdirSync(folder).filter((name) => name !== 'README.md');

/** What the top of a page says: `# 4. Title` and `Status: in force.` */
const pages = files.map((file) => {
  const [, number = '', title = '', status = ''] =
    /^# (\d+)\. (.+)\n\nStatus: (.+?)\.(?: |\n)/.exec(read(file)) ?? [];
  return { file, number, title, status };
});

/** The rows of the index. */
const rows = [
  ...read('README.md').matchAll(/^\| (\d+) +\| \[(.+?)\]\((\S+?)\) +\| (.+?) +\| (.+?) +\|$/gm),
].map(([, number = '', title = '', file = '', status = '', line = '']) => ({
  file,
  number,
  title,
  status,
  line,
}));

describe('the index of decisions', () => {
  it('lists every page by its number, title and status, in order, each with one line', () => {
    expect(pages.length).toBeGreaterThan(0);
    expect(rows.map(({ line: _, ...row }) => row)).toEqual(pages);
    expect(rows.filter(({ line }) => !line.endsWith('.'))).toEqual([]);
  });
});

describe('a decision', () => {
  it('has the number of its file, which no other decision has', () => {
    expect(files.map((file) => String(Number(file.slice(0, 4))))).toEqual(pages.map(({ number }) => number));
    expect(new Set(pages.map(({ number }) => number)).size).toBe(pages.length);
  });

  it('is in force, withdrawn, or superseded by one that is in force and says so', () => {
    for (const { file, number, status } of pages) {
      const [, successor] = /^superseded by \[ADR \d+\]\((\S+)\)$/.exec(status) ?? [];
      if (successor === undefined)
        expect([file, status]).toEqual([file, expect.stringMatching(/^(in force|withdrawn)$/)]);
      else {
        expect([file, pages.find((page) => page.file === successor)?.status]).toEqual([file, 'in force']);
        const top = read(successor).split('\n\n')[1];
        expect(top).toContain('supersedes');
        expect(top).toContain(`[ADR ${number}](${file})`);
      }
    }
  });

  it('that is in force tells its context, decision, consequences and alternatives on one page', () => {
    for (const { file } of pages.filter(({ status }) => status === 'in force')) {
      const text = read(file);
      for (const part of ['Context', 'Decision', 'Consequences', 'Alternatives'])
        expect([file, part, text.includes(`**${part}.**`)]).toEqual([file, part, true]);
      expect([file, text.split(/\s+/).length < 700]).toEqual([file, true]);
    }
  });

  it('links only to pages that exist', () => {
    const links = files.flatMap((file) =>
      [...read(file).matchAll(/\]\((\d{4}-\S+?\.md)\)/g)].map(([, to]) => to),
    );
    expect(links.filter((to) => !files.includes(to ?? ''))).toEqual([]);
  });
});
