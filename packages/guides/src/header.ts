import type { Assets } from './files.ts';

/** What every page's header leads to. */
const places = [
  ['/docs', 'Documentation'],
  ['/docs/reference', 'API reference'],
  ['/record', 'Record'],
] as const;

/** Links to these places. */
export const placeLinks: readonly string[] = places.map(([path, name]) => `<a href="${path}">${name}</a>`);

/**
 * The header of the documentation and of the public pages. Where the browser has a session, the script says "Dashboard"
 * in place of "Sign in".
 * @param current the path of the page.
 */
export function header(assets: Assets, current: string | undefined): string {
  const place = places.findLast(([path]) => current === path || current?.startsWith(`${path}/`));
  const links = places.map(
    ([path, name]) => `<a href="${path}"${path === place?.[0] ? ' aria-current="true"' : ''}>${name}</a>`,
  );
  return `<header class="look-header">
<a class="look-home" href="/"><img src="${assets.path('sign.svg')}" alt="" width="22" height="22">Sigcast</a>
<nav class="look-places" aria-label="Main">${links.join('')}</nav>
<details class="look-menu"><summary aria-label="Menu"></summary><nav aria-label="Main, folded">${links.join('')}</nav></details>
<button type="button" class="look-search" hidden>Search<kbd>Ctrl K</kbd></button>
<a class="look-account" href="/sign-up">Create an account</a>
<a class="look-entry" href="/home" data-entry>Sign in</a>
</header>`;
}
