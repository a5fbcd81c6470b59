import { escapeHtml } from './escape.ts';
import type { Assets } from './files.ts';
import { header, placeLinks } from './header.ts';
import { motif } from './motif.ts';
import type { Page } from './page.ts';
import type { Heading, Rendered } from './render-markdown.ts';
import { type PageName, pageNames, pagePath, siteMap } from './site-map.ts';

/** What surrounds each page: which pages there are, where the files of the look are, and the address of all of it. */
export type Site = {
  readonly pages: ReadonlyMap<PageName, Page>;
  readonly assets: Assets;
  /** Without a slash at its end; empty where it is not known. */
  readonly publicUrl: string;
};

/** What a page's head says of it. */
export type Head = Pick<Page, 'title' | 'summary'> & {
  /** Where it is read; absent of a page that is at no address of its own. */
  readonly path?: string;
  /** The same for programs. */
  readonly alternate?: { readonly type: string; readonly path: string };
};

/** A page without the documentation's navigation. */
export type PublicPage = Head & {
  /** Names of the assets with the page's own styles. */
  readonly styles: readonly string[];
  /** What is below the header, as HTML. What one skips to has the id `content`. */
  readonly body: string;
};

/** Links of a group in the navigation. Those below a link are shown while its page is. */
export type NavigationGroup = { readonly title: string; readonly links: readonly NavigationLink[] };
export type NavigationLink = {
  readonly path: string;
  readonly title: string;
  /** Of an operation. */
  readonly method?: string;
  readonly below?: readonly NavigationLink[];
};

/** A page of the documentation as HTML, without any script that it could not be read without. */
export function guidePage(page: Page, rendered: Rendered, site: Site): string {
  const { name } = page;
  const path = pagePath(name);
  const markdown = { type: 'text/markdown', path: `/docs/${name}.md` };
  const head = { ...page, title: name === 'index' ? page.title : `${page.title} · Sigcast documentation` };
  const body = columns({
    html:
      name === 'index'
        ? motif('winner') + rendered.html.replace('<ul>', '<ul class="cards">')
        : rendered.html,
    navigation: navigationOf(guideGroups(site.pages), path),
    after: neighbours(name, site.pages),
    footer: `<a href="${markdown.path}">This page as Markdown</a>`,
    aside: contents(rendered.headings),
  });
  return publicPage({ ...head, path, alternate: markdown, styles: ['docs.css'], body }, site);
}

type Columns = {
  readonly html: string;
  /** As HTML; empty for a page without. */
  readonly navigation: string;
  readonly after?: string;
  readonly footer: string;
  /** The column beside the text. Absent where the text has its width, too. */
  readonly aside?: string;
};

/** Navigation, text and what is beside it. */
export function columns({ html, navigation, after = '', footer, aside }: Columns): string {
  const [menu, side] =
    navigation === ''
      ? ['', '']
      : [
          `<details class="menu"><summary>Pages</summary><nav aria-label="Pages, folded">${navigation}</nav></details>\n`,
          `<nav class="side" aria-label="Pages">${navigation}</nav>\n`,
        ];
  const kind = navigation === '' ? ' lone' : aside === undefined ? ' wide' : '';
  return `${menu}<div class="columns${kind}">
${side}<main id="content">
<article>
${html}</article>
${after}
<footer class="links">${placeLinks.join('')}${footer}<a href="/llms.txt">llms.txt</a><a href="/llms-full.txt">llms-full.txt</a><a href="/openapi.json">OpenAPI</a></footer>
</main>
${aside ?? ''}
</div>`;
}

/** A page as HTML, with the header that all have. */
export function publicPage(
  { title, summary, path, alternate, styles, body }: PublicPage,
  site: Site,
): string {
  const { assets, publicUrl } = site;
  const sheets = ['look.css', ...styles, 'dialogs.css'].map(
    (name) => `<link rel="stylesheet" href="${assets.path(name)}">`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(summary)}">
${path === undefined ? '<meta name="robots" content="noindex">' : `<link rel="canonical" href="${publicUrl}${path}">`}
<meta property="og:title" content="${escapeHtml(title)}">
<meta property="og:description" content="${escapeHtml(summary)}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Sigcast">
<meta property="og:image" content="${publicUrl}${assets.path('card.png')}">
<meta name="twitter:card" content="summary_large_image">
<link rel="icon" href="${assets.path('sign.svg')}">
<link rel="preload" href="${assets.path('geist-latin-wght-normal.woff2')}" as="font" type="font/woff2" crossorigin>
${sheets.join('\n')}
${alternate === undefined ? '' : `<link rel="alternate" type="${alternate.type}" href="${alternate.path}">\n`}<script src="${assets.path('search.js')}" type="module"></script>
<script src="${assets.path('docs.js')}" type="module"></script>
</head>
<body>
<a class="look-skip" href="#content">Skip to the content</a>
${header(assets, path)}
${body}
</body>
</html>
`;
}

/** The groups of the documentation's pages. */
export function guideGroups(pages: Site['pages']): readonly NavigationGroup[] {
  return siteMap.map(({ title, pages: names }) => ({
    title,
    links: names.map((name) => ({ path: pagePath(name), title: titleIn(name, pages) })),
  }));
}

/** Links to pages, as HTML. @param current the path of the page that has them. */
export function navigationOf(groups: readonly NavigationGroup[], current?: string): string {
  return groups.map(({ title, links }) => `<p>${title}</p>${linkList(links, current)}`).join('');
}

function linkList(links: readonly NavigationLink[], current: string | undefined): string {
  const items = links.map(({ path, title, method, below = [] }) => {
    const isCurrent = path === current;
    return `<li>${anchor(path, title, isCurrent, method)}${isCurrent && below.length > 0 ? linkList(below, undefined) : ''}</li>`;
  });
  return `<ul>${items.join('')}</ul>`;
}

function anchor(path: string, title: string, isCurrent = false, method?: string): string {
  const badge = method === undefined ? '' : `${methodBadge(method)} `;
  return `<a href="${path}"${isCurrent ? ' aria-current="page"' : ''}>${badge}${escapeHtml(title)}</a>`;
}

/** The method of a request. */
export function methodBadge(method: string): string {
  return `<b data-method="${method}">${method}</b>`;
}

function titleIn(name: PageName, pages: Site['pages']): string {
  return name === 'index' ? 'Overview' : (pages.get(name)?.title ?? name);
}

/** The pages before and after this one. */
function neighbours(current: PageName, pages: Site['pages']): string {
  const at = pageNames.indexOf(current);
  const link = (name: PageName | undefined, word: string) =>
    name === undefined
      ? '<span></span>'
      : `<p>${word}<br>${anchor(pagePath(name), titleIn(name, pages))}</p>`;
  const [before, after] = [link(pageNames[at - 1], 'Previous'), link(pageNames[at + 1], 'Next')];
  return `<nav class="neighbours" aria-label="Previous and next">${before}${after}</nav>`;
}

/** Links to the main headings of a page. */
export function contents(headings: readonly Heading[]): string {
  const shown = headings.filter(({ depth }) => depth === 2);
  if (shown.length < 2) return '<div class="contents"></div>';
  const items = shown.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></nav>`;
}
