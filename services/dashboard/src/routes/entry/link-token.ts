/** The token in the link of a mail, which the page was opened by. A fragment is sent to no server. */
export function linkToken(): string {
  return new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
}
