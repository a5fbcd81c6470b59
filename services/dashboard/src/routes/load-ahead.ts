import { parse } from 'regexparam';
import { hasNote } from '../api/notes.ts';
import { pageFiles } from './page-files.ts';

/** The file with the frame of every page for somebody signed in; nobody else needs it. */
export const signedInFile = () => import('./signed-in.tsx');

/**
 * Loads the files that a path needs, while the request for the session is under way. A file that fails here is loaded again,
 * and its failure reported, when it is rendered.
 */
export function loadAhead(path: string): void {
  const place = path === '/home' ? home() : path;
  const [, pageFile] = Object.entries(pageFiles).find(([route]) => parse(route).pattern.test(place)) ?? [];
  for (const load of [signedInFile, pageFile]) load?.().catch(() => undefined);
}

/** The page that the home page leads to, as far as this browser knows. */
function home(): string {
  return hasNote('key') ? '/signals' : '/getting-started';
}
