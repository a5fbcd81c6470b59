import { columns, guideGroups, navigationOf, publicPage, type Site } from './frame.ts';
import { motif } from './motif.ts';

const title = 'This page does not exist';
const summary = 'There is no page at this address.';

/** What a browser gets at an address where nothing is: the places that all know. */
export function notFoundPage(site: Site): string {
  const body = `<main id="content" class="nowhere"><article>
${motif('rugged')}<h1>${title}</h1>
<p>The address may be mistyped, or the page may have been renamed.</p>
<p><a class="action" href="/" data-entry>Go to the front page</a></p>
<p><a href="/docs">Documentation</a> · <a href="/record">Record</a></p>
</article></main>`;
  return publicPage({ title: 'Not found · Sigcast', summary, styles: ['docs.css'], body }, site);
}

/** What a browser gets at an address below `/docs` where nothing is: a search, pages that a script finds for the address, and all pages. */
export function notFoundInDocsPage(site: Site): string {
  const body = columns({
    html: `${motif('rugged')}<h1>${title}</h1>
<p>The address may be mistyped, or the page may have been renamed.</p>
<p><button type="button" class="open-search" hidden>Search the documentation</button></p>
<div class="near" hidden><p>Were you looking for one of these?</p><ul></ul></div>
<p>Begin at the <a href="/docs">overview</a>, look up an operation in the <a href="/docs/reference">API reference</a>, or choose a page.</p>
`,
    navigation: navigationOf(guideGroups(site.pages)),
    footer: '',
    aside: '<div class="contents"></div>',
  });
  return publicPage(
    { title: 'Not found · Sigcast documentation', summary, styles: ['docs.css'], body },
    site,
  );
}
