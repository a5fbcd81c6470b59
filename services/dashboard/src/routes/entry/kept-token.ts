/** Pages that links of mails lead to, and that need somebody to be signed in. */
type Page = 'invitation' | 'confirm';

/**
 * The token of the link that this tab was opened by: of the address, which no server sees, or kept in the tab's session storage while
 * its recipient signs in.
 */
export function keptToken(page: Page): string {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given !== null) sessionStorage.setItem(`sigcast-${page}`, given);
  return given ?? sessionStorage.getItem(`sigcast-${page}`) ?? '';
}

/** Forgets a token that was used. */
export function forgetToken(page: Page): void {
  sessionStorage.removeItem(`sigcast-${page}`);
}
