/** The most tokens that one request of the market names. */
export const tokensPerRequest = 30;

/**
 * Whether a contract can be an address of a token. Producers may send any text. The market is never asked about a text that
 * can't be one, so that a request's path has only these characters and a bounded length.
 */
export function isAddress(contract: string): boolean {
  return /^[0-9A-Za-z:_.-]{1,128}$/.test(contract) && /[^.]/.test(contract);
}
