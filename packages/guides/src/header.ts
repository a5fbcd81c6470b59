import type { Assets } from './files.ts';

/** What every page's header leads to. */
const places = [
  ['/docs', 'Documentation'],
  ['/docs/reference', 'API reference'],
  ['/record', 'Record'],
] as const;

/**
 * The header of the documentation and of the public pages. Where the browser has a session, the script says "Open the dashboard"
 * in place of "Sign in".
 * @param current the path of one of the places, where the page belongs to it.
 */
export function header(assets: Assets, current: string | undefined): string {
  const links = places.map(
    ([path, name]) => `<a href="${path}"${path === current ? ' aria-current="true"' : ''}>${name}</a>`,
  );
  return `<header class="look-header">
<a class="look-home" href="/"><img src="${assets.path('sign.svg')}" alt="" width="22" height="22">Sigcast</a>
<nav class="look-places" aria-label="Elsewhere">${links.join('')}</nav>
<a class="look-entry" href="/home" data-entry>Sign in</a>
</header>`;
}
