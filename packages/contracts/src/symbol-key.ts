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
