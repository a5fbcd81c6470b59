import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Marked, type Token } from 'marked';
import { describe, expect, it } from 'vitest';
import { headingId } from '../src/render-markdown.ts';

const root = join(import.meta.dirname, '../../..');
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));

type Document = { readonly links: readonly string[]; readonly anchors: ReadonlySet<string> };

/** The links and images of a document, and the anchors of its headings. */
function readDocument(path: string): Document {
  const marked = new Marked();
  const tokens = marked.lexer(readFileSync(join(root, path), 'utf8'));
  const links: string[] = [];
  const anchors = new Set<string>();
  void marked.walkTokens(tokens, (token: Token) => {
    if (token.type === 'link' || token.type === 'image') links.push(String(token.href));
    if (token.type === 'html') {
      for (const [, href = ''] of String(token.text).matchAll(/\s(?:href|src|srcset)="([^"]+)"/g))
        links.push(href);
    }
    if (token.type === 'heading') anchors.add(unusedAnchor(anchorOf(path, String(token.text)), anchors));
  });
  return { links, anchors };
}

/** The anchor of a heading: as the gateway renders a guide, and as GitHub shows any other document. */
function anchorOf(path: string, heading: string): string {
  if (isGuide(path)) return headingId(heading);
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}

function unusedAnchor(anchor: string, used: ReadonlySet<string>): string {
  let unused = anchor;
  for (let n = 1; used.has(unused); n++) unused = `${anchor}-${n}`;
  return unused;
}

const isGuide = (path: string) => path.startsWith('packages/guides/src/pages/');

/** What is wrong with a link of a document; nothing where it leads to what is there. */
function problemOf(path: string, link: string): string | undefined {
  if (/^[a-z]+:/.test(link)) {
    const { protocol, hostname = '' } = URL.parse(link) ?? {};
    const expected = hostname === '127.0.0.1' ? 'http:' : 'https:';
    return protocol === expected && hostname.includes('.') ? undefined : 'is not an https address';
  }
  // The gateway's own addresses, which only guides know: pages.test.ts follows them.
  if (link.startsWith('/')) return isGuide(path) ? undefined : 'is an address of no host';
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? path : relative(root, join(root, dirname(path), file));
  if (target.startsWith('..') || !existsSync(join(root, target))) return 'leads to no file';
  if (anchor === undefined) return undefined;
  return readDocument(target).anchors.has(anchor) ? undefined : 'leads to no heading';
}

describe('the links of', () => {
  it('all documents are looked at', () => {
    expect(documents).toEqual(
      expect.arrayContaining([
        'README.md',
        'ARCHITECTURE.md',
        'docs/operations.md',
        'services/stats/README.md',
      ]),
    );
    expect(readDocument('README.md').links).toContain('docs/pictures/signals-dark.webp');
    expect(problemOf('README.md', 'docs/missing.md')).toBe('leads to no file');
    expect(problemOf('README.md', 'ARCHITECTURE.md#missing')).toBe('leads to no heading');
    expect(problemOf('README.md', 'http://example.com')).toBe('is not an https address');
  });

  it.each(documents)('%s lead to files and headings that are there', (path) => {
    const problems = readDocument(path).links.flatMap((link) => {
      const problem = problemOf(path, link);
      return problem === undefined ? [] : [`${link} ${problem}`];
    });
    expect(problems).toEqual([]);
  });
});
