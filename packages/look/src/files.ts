import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const fontAddress = /url\("(@fontsource-variable\/[^"]+)"\)/g;

/** A font file, as a browser gets it. */
export type Font = { readonly name: string; readonly content: Buffer };

/** The fonts that the tokens name. */
export function readFonts(): readonly Font[] {
  return [...read('tokens.css').matchAll(fontAddress)].map(([, specifier = '']) => ({
    name: basename(specifier),
    content: readFileSync(fileURLToPath(import.meta.resolve(specifier))),
  }));
}

/**
 * The styles that all pages share, for a server without a bundler.
 * @param pathOf where the font of that name is served.
 */
export function readStyles(pathOf: (font: string) => string): string {
  const tokens = read('tokens.css').replace(
    fontAddress,
    (_, font: string) => `url("${pathOf(basename(font))}")`,
  );
  return `${tokens}\n${read('header.css')}`;
}

/** The product's sign, as SVG. */
export const readSign = (): string => read('sign.svg');

function read(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
