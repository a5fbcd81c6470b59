/** Marks in a row that a letter may have; more of them cover the lines around it. */
const marksInARow = /(\p{M}{3})\p{M}+/gu;
/** Characters that are not seen, such as those that turn the direction of writing. */
const unseen = /\p{Cf}+/gu;
/** Control characters, white space and line ends. */
const space = /[\p{Cc}\s]+/gu;

/** Keep the direction of a text inside from changing that of the text outside (Unicode, UAX 9: FSI and PDI). */
const isolated = (text: string) => `\u2068${text}\u2069`;

/** Text of others as one line of at most so many characters, without what would disturb the text around it. */
export function plainLine(text: string, max = Number.POSITIVE_INFINITY): string {
  const line = text.toWellFormed().replace(unseen, '').replace(space, ' ').replace(marksInARow, '$1').trim();
  const characters = [...line];
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join('')}…`;
}

/** A line that stands for itself in a line of others: its direction of writing ends with it. */
export function inLine(text: string): string {
  return /^[ -~·…]*$/.test(text) ? text : isolated(text);
}

/** The longest link that a message has. */
const maxLink = 300;

/**
 * An http or https address with all characters percent-encoded that have a meaning in any provider's texts. Undefined where there
 * is none, or it has a user name, or is too long.
 */
export function linkOf(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.username !== '' || url.password !== '' || url.hostname.startsWith('[')) return undefined;
  const encoded = url.href.replace(
    /[^\w:/?#@&=%.+,;-]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return encoded.length <= maxLink ? encoded : undefined;
}

/** As many of these parts, from the first, as have at most so many characters together. */
export function joined(parts: readonly string[], max: number): string {
  let text = '';
  for (const part of parts) {
    if (text.length + part.length > max) break;
    text += part;
  }
  return text;
}
