/** The most tokens that one request of the market names. */
export const tokensPerRequest = 30;

/**
 * Whether a contract can be an address of a token. Producers may send any text. The market is never asked about a text that
 * can't be one, so that a request's path has only these characters and a bounded length.
 */
export function isAddress(contract: string): boolean {
  return /^[0-9A-Za-z:_.-]{1,128}$/.test(contract) && /[^.]/.test(contract);
}

/**
 * A contract as it is compared with others: `0x…` addresses are the same in any case (EIP-55 uses the case as a
 * checksum), addresses of other kinds are not.
 */
export function contractKey(contract: string): string {
  return /^0x[0-9a-f]+$/i.test(contract) ? contract.toLowerCase() : contract;
}
