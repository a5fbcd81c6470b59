/** Where somebody goes who signs in: to where they were going, if that is a path of ours. */
export function afterEntry(): string {
  const to = new URLSearchParams(location.search).get('to') ?? '/';
  return /^\/(?![/\\])/.test(to) && !to.startsWith('/sign-') ? to : '/';
}
