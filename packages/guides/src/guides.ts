import { type AssetFile, Assets, type GuideFile } from './files.ts';
import { type Framed, frame, type PublicPage, publicPage } from './frame.ts';
import { llmsText } from './llms.ts';
import { type Page, readPage } from './page.ts';
import { renderMarkdown } from './render-markdown.ts';
import { markdownPath, type PageName, pageNames, pagePath } from './site-map.ts';

/** The documentation as files. */
export type Guides = {
  /** Pages, the same pages as Markdown, and `/llms.txt`. */
  readonly texts: readonly GuideFile[];
  /** What pages load. Paths hold a fingerprint of what is there. */
  readonly assets: readonly AssetFile[];
  /** A page that is not one of the documentation, from Markdown, in the same frame. */
  page(page: Framed & Pick<Page, 'markdown'>): string;
  /** A page with the header alone, from HTML. */
  publicPage(page: PublicPage): string;
  /** The path of one of `assets` by the name of its file. @throws when there is none. */
  assetPath(name: string): string;
};

/**
 * Reads all pages. Rendering one takes some milliseconds and waits until it is called for.
 * @param publicUrl the API's address as clients know it, without a slash at its end; empty where it is not known.
 */
export function openGuides(publicUrl = ''): Guides {
  const pages = new Map<PageName, Page>(pageNames.map((name) => [name, readPage(name, publicUrl)]));
  const assets = new Assets(['docs.css', 'docs.js', 'front.css', 'reference.css', 'reference.js']);
  const html = (page: Page): GuideFile => ({
    path: pagePath(page.name),
    type: 'text/html; charset=utf-8',
    content: () => {
      const alternate = { type: 'text/markdown', path: markdownPath(page.name) };
      return frame({ ...page, alternate }, renderMarkdown(page.markdown), { pages, assets });
    },
  });
  const markdown = ({ name, markdown: content }: Page): GuideFile => ({
    path: markdownPath(name),
    type: 'text/markdown; charset=utf-8',
    content: () => content,
  });
  const all = [...pages.values()];
  const list = { path: '/llms.txt', type: 'text/plain; charset=utf-8', content: () => llmsText(pages) };
  return {
    texts: [...all.map(html), ...all.map(markdown), list],
    assets: assets.files,
    page: (page) => frame(page, renderMarkdown(page.markdown), { pages, assets }),
    publicPage: (page) => publicPage(page, assets),
    assetPath: (name) => assets.path(name),
  };
}
