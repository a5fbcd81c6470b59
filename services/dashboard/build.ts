/**
 * Builds the page into `dist/`, unless `dist/` was made from the same sources. Two processes must not do so at once.
 * Usage: node services/dashboard/build.ts
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { pages } from './src/pages.ts';

const here = import.meta.dirname;
const dist = join(here, 'dist');
/** The file with the fingerprint of the sources. It is written last, so a directory that has it is complete. */
const mark = 'built-from.txt';

/** A fingerprint of everything the result depends on. */
function fingerprint(): string {
  const hash = createHash('sha256');
  const own = ['build.ts', 'index.html', 'package.json', 'vite.config.ts'].map((name) => join(here, name));
  const lock = join(here, '..', '..', 'pnpm-lock.yaml');
  const client = join(here, '..', '..', 'packages', 'client', 'src');
  const look = join(here, '..', '..', 'packages', 'look', 'src');
  const folders = [client, look, join(here, 'src'), join(here, 'public')];
  for (const file of [...own, lock, ...folders.flatMap(filesIn)]) {
    hash
      .update(`${relative(here, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesIn(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function builtFrom(dir: string): string | undefined {
  const file = join(dir, mark);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Writes a compressed copy beside each file of text, with the best compression, as it is done once and not per request. */
function compressAll(dir: string): void {
  for (const file of filesIn(dir).filter((name) => /\.(js|css|html|svg)$/.test(name))) {
    const content = readFileSync(file);
    writeFileSync(`${file}.br`, brotliCompressSync(content));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}

/**
 * A development build of React is half as large again, and its warnings name files of this machine.
 * @throws when the result has code of a development build, or a path of this machine.
 */
function requireProduction(dir: string): void {
  // With a folder below: the repository's path alone may be short (`/app`), and then be part of another word.
  const paths = ['node_modules', 'packages', 'services'].map((folder) => join(here, '..', '..', folder));
  const traces = ['jsxDEV', 'react-dom.development', ...paths];
  for (const file of filesIn(dir)) {
    const content = readFileSync(file, 'utf8');
    const found = traces.filter((trace) => content.includes(trace));
    if (found.length > 0) throw new Error(`${relative(dir, file)} can't be served: ${found.join(', ')}`);
  }
}

const sources = fingerprint();
if (builtFrom(dist) !== sources) {
  // Built in another folder first, so that nobody serves half of `dist`.
  const aside = join(here, 'node_modules', `.dist-${process.pid}`);
  // Vite takes the mode from NODE_ENV, which tests set to another value.
  process.env.NODE_ENV = 'production';
  // Loaded only here, because it takes longer than to see that nothing has changed.
  const { build } = await import('vite');
  try {
    await build({ root: here, logLevel: 'warn', build: { outDir: aside, emptyOutDir: true } });
    requireProduction(aside);
    compressAll(aside);
    writeFileSync(join(aside, 'pages.json'), JSON.stringify(pages));
    writeFileSync(join(aside, mark), sources);
    rmSync(dist, { recursive: true, force: true });
    renameSync(aside, dist);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}
