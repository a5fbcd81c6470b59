import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { readFonts, readSign, readStyles } from '@sigcast/look/files';

/** A file of the documentation, as a browser gets it; made when it is called for. */
export type GuideFile<Content = string> = {
  readonly path: string;
  readonly type: string;
  readonly content: () => Content;
};
/** A file that pages load. */
export type AssetFile = GuideFile<string | Buffer>;

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** A path for content that never changes there: the name holds a fingerprint of what is inside. */
export function hashedPath(name: string, content: string | Buffer): string {
  const ending = extname(name);
  const print = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return `/docs/assets/${name.slice(0, -ending.length)}-${print}${ending}`;
}

/** The styles of the documentation. Pages load them as one file. */
const docsStyles = ['code.css', 'text.css', 'page.css', 'samples.css', 'reference.css', 'record.css'];

const readAsset = (name: string): Buffer => readFileSync(new URL(`./assets/${name}`, import.meta.url));

/** What pages load. */
export class Assets {
  readonly #files = new Map<string, AssetFile>();

  /** Reads the look, and files of the folder `assets`. @throws when one is not there. */
  constructor(names: readonly string[]) {
    for (const { name, content } of readFonts()) this.#add(name, content);
    this.#add(
      'look.css',
      readStyles((font) => this.path(font)),
    );
    this.#add('sign.svg', readSign());
    this.#add('docs.css', docsStyles.map((name) => readAsset(name).toString()).join('\n'));
    for (const name of names) {
      this.#add(name, readAsset(name));
    }
  }

  get files(): readonly AssetFile[] {
    return [...this.#files.values()];
  }

  /** Where a file is served. @throws when there is none of that name. */
  path(name: string): string {
    const file = this.#files.get(name);
    if (file === undefined) throw new Error(`there is no file ${name}`);
    return file.path;
  }

  #add(name: string, content: string | Buffer): void {
    const type = types[extname(name)] ?? 'application/octet-stream';
    this.#files.set(name, { path: hashedPath(name, content), type, content: () => content });
  }
}
