import { readFileSync } from 'node:fs';
import type { PageName } from './site-map.ts';

/** A page as it is written. */
export type Page = {
  readonly name: PageName;
  /** Its first heading. */
  readonly title: string;
  /** Its first paragraph, in one line. */
  readonly summary: string;
  readonly markdown: string;
};

/** What the local system's gateway is at, for a gateway that was not told its own address. */
export const localUrl = 'http://127.0.0.1:8080';

/**
 * Reads a page. `{server}` in it becomes the API's address.
 * @throws when the page does not begin with a heading and a paragraph.
 */
export function readPage(name: PageName, publicUrl: string): Page {
  const file = new URL(`./pages/${name}.md`, import.meta.url);
  const markdown = readFileSync(file, 'utf8').replaceAll('{server}', publicUrl || localUrl);
  const [, title, summary] = /^# (.+)\n\n((?:.|\n)+?)\n\n/.exec(markdown) ?? [];
  if (title === undefined || summary === undefined) {
    throw new Error(`${name}.md does not begin with a heading and a paragraph`);
  }
  return { name, title, summary: plain(summary), markdown };
}

/** Links and code become their texts. */
export function plain(text: string): string {
  return text
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll('`', '')
    .replaceAll(/\s+/g, ' ');
}
