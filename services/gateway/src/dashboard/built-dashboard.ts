import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { entityTag } from '@sigcast/http';
import { z } from 'zod';
import type { SentFile } from '../routes/send-file.ts';

/** The built dashboard: one page, the files it loads, and the paths at which the page is served. */
export type BuiltDashboard = {
  readonly page: SentFile;
  /** Paths of the page, as patterns of Express. */
  readonly pages: readonly string[];
  /** All other files, by path. Names below `/assets/` contain a hash of the content. */
  readonly files: ReadonlyMap<string, SentFile>;
};

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const codings = { br: '.br', gzip: '.gz' } as const;

/**
 * Reads the build into memory, one or two megabytes. So no path of a request is ever used as a file name.
 * @throws when there is no build in `dir`.
 */
export function readBuiltDashboard(dir: string): BuiltDashboard {
  const list = join(dir, 'pages.json');
  if (!existsSync(list)) {
    throw new Error(`there is no dashboard in ${dir}: build it with services/dashboard/build.ts`);
  }
  const pages = z.array(z.string().startsWith('/')).parse(JSON.parse(readFileSync(list, 'utf8')));
  const files = new Map(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && extname(entry.name) in types)
      .map((entry) => {
        const file = join(entry.parentPath, entry.name);
        return [`/${relative(dir, file).split(sep).join('/')}`, readFile(file)] as const;
      }),
  );
  const page = files.get('/index.html');
  if (page === undefined) throw new Error(`the dashboard in ${dir} has no index.html`);
  files.delete('/index.html');
  return { page, pages, files };
}

function readFile(file: string): SentFile {
  const whole = readFileSync(file);
  const bodies = new Map([['identity', whole]]);
  for (const [coding, ending] of Object.entries(codings)) {
    if (existsSync(file + ending)) bodies.set(coding, readFileSync(file + ending));
  }
  return {
    type: types[extname(file)] ?? 'application/octet-stream',
    etag: entityTag(whole),
    bodies,
  };
}
