import { Marked, type Tokens } from 'marked';
import { escapeHtml } from './escape.ts';
import { highlight } from './highlight.ts';
import { pageNames, pagePath } from './site-map.ts';

/** A heading that one can link to. */
export type Heading = { readonly id: string; readonly text: string; readonly depth: number };

/** Markdown as HTML, and the headings below the first one. */
export type Rendered = { readonly html: string; readonly headings: readonly Heading[] };

/** Renders a page. Links to other pages' Markdown files become links to the pages. */
export function renderMarkdown(markdown: string): Rendered {
  const headings: Heading[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${inner}</h1>\n`;
        const heading = { id: headingId(text), text: text.replaceAll('`', ''), depth };
        headings.push(heading);
        return `<h${depth} id="${heading.id}">${inner} <a class="anchor" href="#${heading.id}" aria-label="Link to ${escapeHtml(heading.text)}">#</a></h${depth}>\n`;
      },
      code: ({ text, lang = '' }) => codeBlock(text, lang),
      link({ href, tokens }) {
        return `<a href="${escapeHtml(pageLink(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      html: ({ text }) => {
        throw new Error(`pages have no HTML of their own: ${text}`);
      },
      table(token) {
        return `<div class="table" tabindex="0" role="region" aria-label="Table"><table>${tableRows(token, (tokens) => this.parser.parseInline(tokens))}</table></div>\n`;
      },
    },
  });
  return { html: marked.parse(markdown, { async: false }), headings };
}

/** Codes are their own anchors; other headings become lower-case words with hyphens. */
export function headingId(text: string): string {
  const plain = text.replaceAll('`', '');
  if (/^[A-Z_]+$/.test(plain)) return plain;
  return plain
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** `errors.md#CONFLICT` is how Markdown files link to each other, here and at their own addresses. */
function pageLink(href: string): string {
  const [, name, fragment = ''] = /^([a-z-]+)\.md(#.*)?$/.exec(href) ?? [];
  const page = pageNames.find((known) => known === name);
  return page === undefined ? href : pagePath(page) + fragment;
}

/** Code with colours for its parts, as HTML. */
export function codeBlock(text: string, language: string): string {
  return `<div class="code"><pre tabindex="0"><code>${highlight(text, language)}\n</code></pre></div>\n`;
}

function tableRows(
  { header, rows }: Tokens.Table,
  inline: (tokens: Tokens.TableCell['tokens']) => string,
): string {
  const head = header.map(({ tokens }) => `<th scope="col">${inline(tokens)}</th>`).join('');
  const body = rows.map(
    (row) => `<tr>${row.map(({ tokens }) => `<td>${inline(tokens)}</td>`).join('')}</tr>`,
  );
  return `<thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody>`;
}
