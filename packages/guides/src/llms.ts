import type { Page } from './page.ts';
import { markdownPath, type PageName, siteMap } from './site-map.ts';

/** `/llms.txt` (https://llmstxt.org): what there is, for programs that read: every page as Markdown, and the API's document. */
export function llmsText(pages: ReadonlyMap<PageName, Page>): string {
  const groups = siteMap.map(({ title, pages: names }) => {
    const lines = names.map((name) => {
      const page = pages.get(name);
      return `- [${page?.title}](${markdownPath(name)}): ${page?.summary}`;
    });
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  return `# Sigcast

> Token signals with tracked performance: a REST API with keys and rate limits, exact statistics, signed webhooks.

${groups.join('\n')}
## Reference

- [All pages in one file](/llms-full.txt): the texts of the pages above
- [OpenAPI document](/openapi.json): every operation, parameter, header and answer, as OpenAPI 3.1
- [Record](/record.json): all signals ever, by type and month, from the same figures, with the public log behind them
`;
}

/** `/llms-full.txt`: the texts of all pages, in order. */
export function llmsFullText(pages: ReadonlyMap<PageName, Page>): string {
  return [...pages.values()].map(({ markdown }) => markdown).join('\n---\n\n');
}
