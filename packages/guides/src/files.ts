import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';

/** A file of the documentation, as a browser gets it; made when it is called for. */
export type GuideFile = { readonly path: string; readonly type: string; readonly content: () => string };

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A path for content that never changes there: the name holds a fingerprint of what is inside. */
export function hashedPath(name: string, content: string | Buffer): string {
  const ending = extname(name);
  const print = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return `/docs/assets/${name.slice(0, -ending.length)}-${print}${ending}`;
}

/** What pages load. */
export class Assets {
  readonly #files: ReadonlyMap<string, GuideFile>;

  /** Reads files of the folder `assets`. @throws when one is not there. */
  constructor(names: readonly string[]) {
    this.#files = new Map(names.map((name) => [name, readAsset(name)]));
  }

  get files(): readonly GuideFile[] {
    return [...this.#files.values()];
  }

  /** Where a file is served. @throws when there is none of that name. */
  path(name: string): string {
    const file = this.#files.get(name);
    if (file === undefined) throw new Error(`there is no file ${name}`);
    return file.path;
  }
}

function readAsset(name: string): GuideFile {
  const content = readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');
  return {
    path: hashedPath(name, content),
    type: types[extname(name)] ?? 'application/octet-stream',
    content: () => content,
  };
}
