/**
 * Whether a text can be an address of a token. Lists and producers may name anything; with these characters and length, it is a
 * part of a path and nothing else.
 */
export function isAddress(contract: string): boolean {
  return /^[0-9A-Za-z:_.-]{1,128}$/.test(contract) && /[^.]/.test(contract);
}
