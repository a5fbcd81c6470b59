/**
 * The key by which a signal is found: equal for symbols that differ in case alone or in Unicode normalization (NFC). A
 * character whose upper case also belongs to others stays unchanged (ß and SS, ſ and S), so that no token is found by the
 * symbol of another one that looks similar.
 */
export function symbolKey(symbol: string): string {
  return Array.from(symbol.normalize('NFC'), inUpperCase).join('').normalize('NFC');
}

function inUpperCase(character: string): string {
  const upper = character.toUpperCase();
  return upper.length === character.length && upper.toLowerCase() === character ? upper : character;
}

/**
 * A contract as it is compared with others: `0x…` addresses are the same in any case (EIP-55 uses the case as a
 * checksum), addresses of other kinds are not.
 */
export function contractKey(contract: string): string {
  return /^0x[0-9a-f]+$/i.test(contract) ? contract.toLowerCase() : contract;
}
