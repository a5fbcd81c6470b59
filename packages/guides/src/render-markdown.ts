import { Marked, type Tokens } from 'marked';
import type { ApiEntry } from './api.ts';
import { escapeHtml } from './escape.ts';
import { clientCode } from './samples/languages.ts';
import { readRequest } from './samples/request.ts';
import { answerOf, codeBlock, sampleBlock } from './samples/sample-block.ts';
import { pageNames, pagePath } from './site-map.ts';

/** A heading that one can link to. */
export type Heading = { readonly id: string; readonly text: string; readonly depth: number };

/** Markdown as HTML, and the headings below the first one. */
export type Rendered = { readonly html: string; readonly headings: readonly Heading[] };

/**
 * Renders a page. Links to other pages' Markdown files become links to the pages. A command that is a request of the API is also
 * shown as the clients do it; the first request of an operation with an example of its answer.
 * @param entries the API's operations; none where the page has no such commands.
 */
export function renderMarkdown(markdown: string, entries: readonly ApiEntry[] = []): Rendered {
  const headings: Heading[] = [];
  const answered = new Set<string>();
  let samples = 0;
  let tables = 0;
  const block = (text: string, language: string) => {
    const request = language === 'sh' ? readRequest(text, entries) : undefined;
    if (request === undefined) return codeBlock(text, language);
    const answer = answered.has(request.entry.id) ? undefined : answerOf(request);
    if (answer !== undefined) answered.add(request.entry.id);
    const codes = [{ name: 'curl', language, text }, ...clientCode(request)];
    samples += 1;
    return sampleBlock(`sample-${samples}`, codes, request, answer);
  };
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${inner}</h1>\n`;
        const heading = { id: headingId(text), text: text.replaceAll('`', ''), depth };
        headings.push(heading);
        return `<h${depth} id="${heading.id}">${inner} <a class="anchor" href="#${heading.id}" aria-label="Link to ${escapeHtml(heading.text)}">#</a></h${depth}>\n`;
      },
      code: ({ text, lang = '' }) => block(text, lang),
      link({ href, tokens }) {
        return `<a href="${escapeHtml(pageLink(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      html: ({ text }) => {
        throw new Error(`pages have no HTML of their own: ${text}`);
      },
      table(token) {
        tables += 1;
        return `<div class="table" tabindex="0" role="region" aria-label="Table ${tables}"><table>${tableRows(token, (tokens) => this.parser.parseInline(tokens))}</table></div>\n`;
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

function tableRows(
  { header, rows }: Tokens.Table,
  inline: (tokens: Tokens.TableCell['tokens']) => string,
): string {
  const right = (align: Tokens.TableCell['align']) => (align === 'right' ? ' class="figure"' : '');
  const head = header
    .map(({ tokens, align }) => `<th scope="col"${right(align)}>${inline(tokens)}</th>`)
    .join('');
  const body = rows.map(
    (row) =>
      `<tr>${row.map(({ tokens, align }, at) => `<td${right(align)} data-head="${escapeHtml(header[at]?.text ?? '')}">${inline(tokens)}</td>`).join('')}</tr>`,
  );
  return `<thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody>`;
}

/** A sentence of Markdown as HTML: code, links and paragraphs of it. */
export function inline(text: string): string {
  return new Marked().parseInline(text, { async: false });
}
