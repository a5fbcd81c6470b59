import { escapeHtml } from './escape.ts';
import type { Assets } from './files.ts';
import type { Page } from './page.ts';
import type { Heading, Rendered } from './render-markdown.ts';
import { type PageName, pageNames, pagePath, siteMap } from './site-map.ts';

/** What surrounds each page: which pages there are, and where the files of the look are. */
export type Site = { readonly pages: ReadonlyMap<PageName, Page>; readonly assets: Assets };

/** What a page's head says of it, its name where it is one of the documentation, and the path of the same for programs. */
export type Framed = Pick<Page, 'title' | 'summary'> & {
  readonly name?: PageName;
  readonly alternate: { readonly type: string; readonly path: string };
};

/** A page as HTML, without any script that it could not be read without. */
export function frame(page: Framed, { html, headings }: Rendered, site: Site): string {
  const navigation = navigationOf(page.name, site.pages);
  const { assets } = site;
  const { type, path } = page.alternate;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(titleOf(page))}</title>
<meta name="description" content="${escapeHtml(page.summary)}">
<link rel="icon" href="${assets.path('sign.svg')}">
<link rel="stylesheet" href="${assets.path('docs.css')}">
<link rel="alternate" type="${type}" href="${path}">
<script src="${assets.path('docs.js')}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="home" href="/docs"><img src="${assets.path('sign.svg')}" alt="" width="26" height="26">Sigcast <span>docs</span></a>
<nav aria-label="Elsewhere"><a href="/docs/reference">API reference</a><a class="wide" href="/openapi.json">OpenAPI</a><a href="/record">Record</a><a href="/">Dashboard</a></nav>
</header>
<details class="menu"><summary>Pages</summary><nav aria-label="Pages, folded">${navigation}</nav></details>
<div class="columns">
<nav class="side" aria-label="Pages">${navigation}</nav>
<main id="content">
<article>
${html}</article>
${page.name === undefined ? '' : neighbours(page.name, site.pages)}
<footer><a href="${path}">This page as ${type === 'text/markdown' ? 'Markdown' : 'JSON'}</a><a href="/llms.txt">llms.txt</a></footer>
</main>
${contents(headings)}
</div>
</body>
</html>
`;
}

function titleOf({ name, title }: Framed): string {
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
