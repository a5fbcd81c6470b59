/** Key in local storage: what each account has done once, such as `key`. */
const nameOf = (what: string, account: string) => `sigcast-${what}-${account}`;

/** Notes that an account has done something. */
export function note(what: string, account: string): void {
  localStorage.setItem(nameOf(what, account), '1');
}

/** Whether an account has done something, or any account of this browser. */
export function hasNote(what: string, account?: string): boolean {
  if (account !== undefined) return localStorage.getItem(nameOf(what, account)) !== null;
  return Object.keys(localStorage).some((name) => name.startsWith(nameOf(what, 'acct_')));
}
