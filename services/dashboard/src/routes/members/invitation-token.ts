/** Key in the tab's session storage of the token of an invitation, while its recipient signs in. */
const key = 'sigcast-invitation';

/** The token of the invitation that this tab was opened by: of the address, which no server sees, or kept from before. */
export function invitationToken(): string {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given !== null) sessionStorage.setItem(key, given);
  return given ?? sessionStorage.getItem(key) ?? '';
}

/** Forgets the token of an invitation that was accepted. */
export function forgetInvitation(): void {
  sessionStorage.removeItem(key);
}
