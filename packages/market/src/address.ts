/**
 * Whether a contract can be an address of a token. Lists and producers may name any text. A source is never asked about a text that
 * can't be one, so that a request's path has only these characters and a bounded length.
 */
export function isAddress(contract: string): boolean {
  return /^[0-9A-Za-z:_.-]{1,128}$/.test(contract) && /[^.]/.test(contract);
}
