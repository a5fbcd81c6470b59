import { type Api, readApi } from './api.ts';
import { type AssetFile, Assets, type GuideFile } from './files.ts';
import { columns, contents, guidePage, type Head, type PublicPage, publicPage, type Site } from './frame.ts';
import { llmsFullText, llmsText } from './llms.ts';
import { notFoundInDocsPage, notFoundPage } from './not-found.ts';
import { localUrl, type Page, readPage } from './page.ts';
import { referencePage, referencePages } from './reference/reference-pages.ts';
import { renderMarkdown } from './render-markdown.ts';
import { searchIndex } from './search-index.ts';
import { markdownPath, type PageName, pageNames, pagePath } from './site-map.ts';
import { robotsText, siteMapXml } from './site-map-xml.ts';

/** The documentation as files. */
export type Guides = {
  /** Pages, the same pages as Markdown, the reference, and lists of all for programs. */
  readonly texts: readonly GuideFile[];
  /** What pages load. Paths hold a fingerprint of what is there. */
  readonly assets: readonly AssetFile[];
  /** A page that is not one of the documentation, from Markdown, with HTML after its first paragraph. */
  page(page: Head & Pick<Page, 'markdown'> & { readonly lead: string }): string;
  /** A page with the header alone, from HTML. */
  publicPage(page: PublicPage): string;
  /** What is read where nothing is. */
  notFound(): string;
  /** What is read where no page of the documentation is. */
  notFoundInDocs(): string;
};

/**
 * Reads all pages. Rendering one takes some milliseconds and waits until it is called for.
 * @param publicUrl the API's address as clients know it, without a slash at its end; empty where it is not known.
 */
export function openGuides(publicUrl = ''): Guides {
  const pages = new Map<PageName, Page>(pageNames.map((name) => [name, readPage(name, publicUrl)]));
  const assets = new Assets(['dialogs.css', 'docs.js', 'code.css', 'front.css', 'search.js', 'card.png']);
  const site: Site = { pages, assets, publicUrl };
  let known: Api | undefined;
  const api = () => (known ??= readApi(publicUrl));
  const page = (path: string, content: () => string): GuideFile => ({
    path,
    type: 'text/html; charset=utf-8',
    content,
  });
  const all = [...pages.values()];
  const guides = all.map((one) =>
    page(pagePath(one.name), () => guidePage(one, renderMarkdown(one.markdown, api().entries), site)),
  );
  const reference = referencePages.map((one) => page(one.path, () => referencePage(one, api(), site)));
  const markdown = all.map(
    ({ name, markdown: content }): GuideFile => ({
      path: markdownPath(name),
      type: 'text/markdown; charset=utf-8',
      content: () => content,
    }),
  );
  const read = ['/', '/record', ...[...guides, ...reference].map(({ path }) => path)];
  const plain = 'text/plain; charset=utf-8';
  return {
    texts: [
      ...guides,
      ...reference,
      ...markdown,
      { path: '/llms.txt', type: plain, content: () => llmsText(pages) },
      { path: '/robots.txt', type: plain, content: () => robotsText(publicUrl || localUrl) },
      { path: '/llms-full.txt', type: plain, content: () => llmsFullText(pages) },
      {
        path: '/sitemap.xml',
        type: 'application/xml',
        content: () => siteMapXml(read, publicUrl || localUrl),
      },
      {
        path: '/docs/search.json',
        type: 'application/json; charset=utf-8',
        content: () => JSON.stringify(searchIndex(all, api())),
      },
    ],
    assets: assets.files,
    page: ({ markdown: text, lead, ...head }) => {
      const { html: whole, headings } = renderMarkdown(text);
      const footer = `<a href="${head.alternate?.path}">This page as JSON</a>`;
      const html = whole.replace('</p>\n', () => `</p>\n${lead}`);
      const body = columns({ html, navigation: '', footer, aside: contents(headings) });
      return publicPage({ ...head, title: `${head.title} · Sigcast`, styles: ['docs.css'], body }, site);
    },
    publicPage: (page) => publicPage({ ...page, title: `${page.title} · Sigcast` }, site),
    notFound: () => notFoundPage(site),
    notFoundInDocs: () => notFoundInDocsPage(site),
  };
}
