/** Breaks a text into lines of at most so many characters. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  // Not at spaces that keep a number with its unit.
  for (const word of text.split(/[ \n]+/)) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

/** Indents every line that is not empty. */
export function indented(text: string, by: string): string {
  return text.replace(/^(?=.)/gm, by);
}

/** Said at the top of every generated file. */
export const notice =
  'Made of the operations of packages/contracts by `npx pnpm@12 clients:generate`: do not edit.';
