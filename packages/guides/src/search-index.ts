import type { Api } from './api.ts';
import { type Page, plain } from './page.ts';
import { referencePath, tagPath } from './reference/reference-pages.ts';
import { headingId } from './render-markdown.ts';
import { pagePath } from './site-map.ts';

/** A section that a search can find: its address, its page, its heading, and its text. */
type Section = readonly [path: string, page: string, heading: string, text: string];

/** What the search in the browser reads: each section of the pages, and each operation. */
export function searchIndex(pages: Iterable<Page>, { entries }: Api): readonly Section[] {
  return [
    ...[...pages].flatMap(sectionsOf),
    [
      referencePath,
      'API reference',
      'API reference',
      'Every operation with its parameters, answers and samples.',
    ],
    ...entries.map(({ id, tag, method, path, summary, description, parameters }): Section => {
      const names = parameters.map(({ name }) => name).join(' ');
      return [
        `${tagPath(tag)}#${id}`,
        `API reference: ${tag}`,
        summary,
        plain(`${method} ${path} ${id} ${description} ${names}`),
      ];
    }),
  ];
}

function sectionsOf({ name, title, markdown }: Page): Section[] {
  // A comment in a sample begins with the same sign as a heading.
  const prose = markdown.replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/^#/gm, ' '));
  return prose.split(/^(?=#{1,3} )/m).map((part): Section => {
    const [, heading = '', text = ''] = /^#+ (.+)\n([\s\S]*)$/.exec(part) ?? [];
    const path = pagePath(name) + (heading === title ? '' : `#${headingId(heading)}`);
    return [path, title, plain(heading), plain(withoutMarks(text)).trim()];
  });
}

/** A text without the marks of code, lists and tables; a row of a table has its cells one after the other. */
function withoutMarks(text: string): string {
  return text
    .replaceAll(/^```.*$|^\|[ |:-]+$|^ *- /gm, ' ')
    .replaceAll(/^\|(.+)\|$/gm, (_, cells: string) => ` ${cells.replaceAll('|', ' · ')};`);
}
