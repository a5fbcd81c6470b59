/** Digits and signs around a password. */
const around = /^[^\p{L}]+|[^\p{L}]+$/gu;
/** The fewest characters of what counts without digits and signs around it. */
const minInside = 4;

/**
 * Returns a function that tells whether a password is one of `common`, in upper or lower case: as it is, with digits and signs
 * around it, or written several times. Few common passwords have the length that new passwords must have (308 of the 49,233 that
 * the gateway takes); these are the ways in which people make a short one long enough.
 */
export function commonPasswordCheck(common: Iterable<string>): (password: string) => boolean {
  const known = new Set(common);
  return (password) => {
    const whole = password.normalize('NFC').toLowerCase();
    const inside = whole.replace(around, '');
    return [whole, ...(inside.length < minInside ? [] : [inside])].some(
      (text) => known.has(text) || known.has(repeatedIn(text)),
    );
  };
}

/** What a text repeats: `abc` for `abcabc`; the text itself where it repeats nothing. */
function repeatedIn(text: string): string {
  return text.slice(0, `${text}${text}`.indexOf(text, 1));
}
