/** The most tokens that one request of the market names. */
export const tokensPerRequest = 30;

/**
 * A contract as it is compared with others: `0x…` addresses are the same in any case (EIP-55 uses the case as a
 * checksum), addresses of other kinds are not.
 */
export function contractKey(contract: string): string {
  return /^0x[0-9a-f]+$/i.test(contract) ? contract.toLowerCase() : contract;
}
