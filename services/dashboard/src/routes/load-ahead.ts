import { parse } from 'regexparam';
import { hasNote } from '../api/notes.ts';
import { pageFiles } from './page-files.ts';

/** What surrounds every page of somebody signed in: a file of its own, for strangers need nothing of it. */
export const signedInFile = () => import('./signed-in.tsx');

/**
 * Loads the files that a path needs, while the session is still being asked for. What fails here is loaded again, and
 * told, where it is shown.
 */
export function loadAhead(path: string): void {
  const place = path === '/' ? home() : path;
  const [, pageFile] = Object.entries(pageFiles).find(([route]) => parse(route).pattern.test(place)) ?? [];
  for (const load of [signedInFile, pageFile]) load?.().catch(() => undefined);
}

/** Where the home page leads, as far as this browser knows. */
function home(): string {
  return hasNote('key') ? '/signals' : '/getting-started';
}
