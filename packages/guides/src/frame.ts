import { escapeHtml } from './escape.ts';
import type { Assets } from './files.ts';
import { header } from './header.ts';
import type { Page } from './page.ts';
import type { Heading, Rendered } from './render-markdown.ts';
import { type PageName, pageNames, pagePath, siteMap } from './site-map.ts';

/** What surrounds each page: which pages there are, and where the files of the look are. */
export type Site = { readonly pages: ReadonlyMap<PageName, Page>; readonly assets: Assets };

/** What a page's head says of it, its name where it is one of the documentation, and the path of the same for programs. */
export type Framed = Pick<Page, 'title' | 'summary'> & {
  readonly name?: PageName;
  readonly alternate: Alternate;
};
type Alternate = { readonly type: string; readonly path: string };

/** A page without the documentation's navigation. */
export type PublicPage = Omit<Framed, 'alternate'> & {
  readonly alternate?: Alternate;
  /** Names of the assets with the page's own styles. */
  readonly styles: readonly string[];
  /** What is below the header, as HTML. What one skips to has the id `content`. */
  readonly body: string;
};

/** A page as HTML, without any script that it could not be read without. */
export function frame(page: Framed, { html, headings }: Rendered, site: Site): string {
  const navigation = navigationOf(page.name, site.pages);
  const { type, path } = page.alternate;
  const body = `<details class="menu"><summary>Pages</summary><nav aria-label="Pages, folded">${navigation}</nav></details>
<div class="columns">
<nav class="side" aria-label="Pages">${navigation}</nav>
<main id="content">
<article>
${html}</article>
${page.name === undefined ? '' : neighbours(page.name, site.pages)}
<footer><a href="${path}">This page as ${type === 'text/markdown' ? 'Markdown' : 'JSON'}</a><a href="/llms.txt">llms.txt</a></footer>
</main>
${contents(headings)}
</div>`;
  return publicPage({ ...page, styles: ['docs.css'], body }, site.assets);
}

/** A page as HTML, with the header that all have. */
export function publicPage({ styles, body, ...page }: PublicPage, assets: Assets): string {
  const { type, path = '' } = page.alternate ?? {};
  const sheets = ['look.css', ...styles].map((name) => `<link rel="stylesheet" href="${assets.path(name)}">`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(titleOf(page))}</title>
<meta name="description" content="${escapeHtml(page.summary)}">
<link rel="icon" href="${assets.path('sign.svg')}">
${sheets.join('\n')}
${type === undefined ? '' : `<link rel="alternate" type="${type}" href="${path}">`}
<script src="${assets.path('docs.js')}" defer></script>
</head>
<body>
<a class="look-skip" href="#content">Skip to the content</a>
${header(assets, /^\/[a-z]+/.exec(path)?.[0])}
${body}
</body>
</html>
`;
}

function titleOf({ name, title }: Omit<Framed, 'alternate'>): string {
  if (name === 'index') return title;
  return `${title} · Sigcast${name === undefined ? '' : ' documentation'}`;
}

function navigationOf(current: PageName | undefined, pages: Site['pages']): string {
  return siteMap
    .map(({ title, pages: names }) => {
      const items = names.map((name) => `<li>${pageAnchor(name, pages, name === current)}</li>`);
      return `<p>${title}</p><ul>${items.join('')}</ul>`;
    })
    .join('');
}

function pageAnchor(name: PageName, pages: Site['pages'], isCurrent = false): string {
  const title = name === 'index' ? 'Overview' : (pages.get(name)?.title ?? name);
  return `<a href="${pagePath(name)}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>`;
}

/** The pages before and after this one. */
function neighbours(current: PageName, pages: Site['pages']): string {
  const at = pageNames.indexOf(current);
  const [before, after] = [pageNames[at - 1], pageNames[at + 1]];
  return `<nav class="neighbours" aria-label="Before and after">${
    before === undefined ? '<span></span>' : `<p>Before<br>${pageAnchor(before, pages)}</p>`
  }${after === undefined ? '' : `<p>Next<br>${pageAnchor(after, pages)}</p>`}</nav>`;
}

function contents(headings: readonly Heading[]): string {
  const shown = headings.filter(({ depth }) => depth === 2);
  if (shown.length < 2) return '<div class="contents"></div>';
  const items = shown.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></nav>`;
}
