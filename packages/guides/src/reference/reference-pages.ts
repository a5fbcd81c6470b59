import { apiTags } from '@sigcast/contracts';
import type { Api, ApiEntry } from '../api.ts';
import { escapeHtml } from '../escape.ts';
import {
  columns,
  contents,
  methodBadge,
  type NavigationGroup,
  navigationOf,
  publicPage,
  type Site,
} from '../frame.ts';
import { inline, renderMarkdown } from '../render-markdown.ts';
import { operationSection } from './operation.ts';

/** Where the reference begins. */
export const referencePath = '/docs/reference';

/** A page of the reference: the first one has no tag. */
export type ReferencePage = { readonly path: string; readonly tag?: string };

/** The pages of the reference: an introduction, and one for each tag. */
export const referencePages: readonly ReferencePage[] = [
  { path: referencePath },
  ...Object.keys(apiTags).map((tag) => ({ path: tagPath(tag), tag })),
];

/** Where the operations of a tag are. */
export function tagPath(tag: string): string {
  return `${referencePath}/${tag.toLowerCase().replaceAll(' ', '-')}`;
}

/** A page of the reference as HTML. */
export function referencePage({ path, tag }: ReferencePage, api: Api, site: Site): string {
  const navigation = navigationOf(groupsOf(api), path);
  const footer = '<a href="/openapi.json">This reference as an OpenAPI document</a>';
  const alternate = { type: 'application/json', path: '/openapi.json' };
  const head = { path, alternate, styles: ['docs.css'] };
  if (tag === undefined) {
    const { html, headings } = renderMarkdown(`# API reference\n\n${api.introduction}`);
    const body = columns({
      html: html.replace('<h2', () => `${groupList(api)}<h2`),
      navigation,
      footer,
      aside: contents([operationsHeading, ...headings]),
    });
    const summary = 'Every operation of the Sigcast API, with its parameters, answers and samples.';
    return publicPage({ ...head, title: 'API reference · Sigcast documentation', summary, body }, site);
  }
  const { description: summary } = api.tags.find(({ name }) => name === tag) ?? { description: '' };
  const entries = entriesOf(tag, api);
  const html = `<h1>${escapeHtml(tag)}</h1>\n<p>${inline(summary)}</p>\n${entries.map((entry) => operationSection(entry, api)).join('')}`;
  const body = columns({ html, navigation, footer });
  return publicPage(
    { ...head, title: `${tag} · Sigcast API reference`, summary: summary.replaceAll('`', ''), body },
    site,
  );
}

const entriesOf = (tag: string, { entries }: Api) => entries.filter((entry) => entry.tag === tag);

function groupsOf(api: Api): readonly NavigationGroup[] {
  const links = api.tags.map(({ name }) => {
    const path = tagPath(name);
    const below = entriesOf(name, api).map((entry) => ({
      path: `${path}#${entry.id}`,
      title: nameOf(entry),
      ...(!entry.isSent && { method: entry.method }),
    }));
    return { path, title: name, below };
  });
  return [
    { title: 'API reference', links: [{ path: referencePath, title: 'Overview' }] },
    { title: 'Operations', links },
  ];
}

function nameOf({ isSent, path, summary }: ApiEntry): string {
  return isSent ? `Sent: ${path}` : summary;
}

const operationsHeading = { id: 'operations', text: 'Operations', depth: 2 };

/** What the pages of the reference are about, and the operations of each. */
function groupList(api: Api): string {
  const groups = api.tags.map(({ name, description }) => {
    const entries = entriesOf(name, api).map((entry) => {
      const what = entry.isSent ? 'POST' : entry.method;
      return `<li><a href="${tagPath(name)}#${entry.id}">${methodBadge(what)} <code>${escapeHtml(entry.path)}</code></a> <span>${escapeHtml(entry.summary)}</span></li>`;
    });
    return `<h3><a href="${tagPath(name)}">${escapeHtml(name)}</a></h3><p>${inline(description)}</p><ul class="endpoints">${entries.join('')}</ul>`;
  });
  return `<h2 id="${operationsHeading.id}">${operationsHeading.text}</h2>
${groups.join('\n')}
`;
}
