/** The documentation's pages in the order in which one reads them, by group. A page's name is that of its Markdown file. */
export const siteMap = [
  { title: 'Start', pages: ['index', 'quick-start', 'authentication'] },
  {
    title: 'Reading',
    pages: ['pagination', 'statistics', 'history', 'track-record', 'backtests', 'rate-limits', 'errors'],
  },
  {
    title: 'Receiving',
    pages: ['webhooks', 'verify-webhooks', 'webhook-delivery', 'chats', 'local-webhooks', 'events', 'mail'],
  },
  { title: 'More', pages: ['client', 'mcp', 'troubleshooting', 'glossary', 'versioning', 'changelog'] },
] as const;

/** The name of a page. */
export type PageName = (typeof siteMap)[number]['pages'][number];

/** All pages, in order. */
export const pageNames: readonly PageName[] = siteMap.flatMap(({ pages }) => [...pages]);

/** Where a page is read. */
export function pagePath(name: PageName): string {
  return name === 'index' ? '/docs' : `/docs/${name}`;
}

/** Where the same page is as Markdown. */
export function markdownPath(name: PageName): string {
  return `/docs/${name}.md`;
}
