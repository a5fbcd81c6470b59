/** The path after signing in: the one that somebody wanted to open, if it is a path of ours. */
export function afterEntry(): string {
  const to = new URLSearchParams(location.search).get('to') ?? '/home';
  return /^\/(?![/\\])/.test(to) && !to.startsWith('/sign-') ? to : '/home';
}
