import { linkToken } from './link-token.ts';

/** Pages that links of mails lead to, and that need somebody to be signed in. */
type Page = 'invitation' | 'confirm';

/**
 * The token of the link that this tab was opened by, also while its recipient signs in: the tab's session storage keeps it.
 */
export function keptToken(page: Page): string {
  const given = linkToken();
  if (given !== '') sessionStorage.setItem(`sigcast-${page}`, given);
  return given || (sessionStorage.getItem(`sigcast-${page}`) ?? '');
}

/** Forgets a token that was used. */
export function forgetToken(page: Page): void {
  sessionStorage.removeItem(`sigcast-${page}`);
}
