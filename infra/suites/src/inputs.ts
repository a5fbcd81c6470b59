import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/** Hashes of the content of files, by path from the root of the repository. */
export type Contents = ReadonlyMap<string, string>;
/** A file of tests that runs only when its inputs differ from those of its last passing run. */
export type Suite = { readonly name: string; readonly file: string; readonly command: string };
/** A hash for each package that a suite depends on, and for each file outside packages. */
export type Inputs = Readonly<Record<string, string>>;

/** The command of package.json for each kind of suite. */
const commands = { release: 'test:releases', cluster: 'test:clusters', containers: 'test:containers' };

/** Packages whose suites run the system: all services are among their inputs. */
const runSystem = /^(?:infra\/docker|packages\/e2e)\//;
/** Documents, and what only `check` and this program read. */
const unread = /^(?:\.ci\/|docs\/|(?:biome|cspell)\.json$|eslint\.config\.mjs$|\.dependency-cruiser\.cjs$)/;
/** Documents, and tests' data of other packages, that suites read. Documents in sources are served, and count as sources do. */
const documents: Readonly<Record<string, readonly string[]>> = {
  'compose.containers': ['README.md', 'docs/operations.md'],
  'package.release': ['packages/client/README.md'],
  'python.release': ['packages/client/test/webhook-vectors.json'],
};

/** The name in {@link Contents} of the tree of the last release, which runs beside the present one in the suite of this name. */
export const releasedTree = 'the released tree';
const sideBySide = 'mixed-releases.release';

/** @returns the suites among the files, in the order of their commands. */
export function suitesIn(files: Iterable<string>): Suite[] {
  const sorted = [...files].sort();
  return Object.entries(commands).flatMap(([kind, command]) =>
    sorted
      .filter((file) => file.endsWith(`.${kind}.test.ts`))
      .map((file) => ({ name: basename(file, '.test.ts'), file, command })),
  );
}

/** @param read returns the text of a file. */
export function inputsOf(suite: Suite, contents: Contents, read: (file: string) => string): Inputs {
  const own = packageOf(suite.file);
  const needed = packagesOf(suite, contents, read);
  const counts = (file: string) => {
    const within = packageOf(file);
    if (documents[suite.name]?.includes(file)) return true;
    if (unread.test(file) || (file.endsWith('.md') && !file.includes('/src/'))) return false;
    if (file === releasedTree) return suite.name === sideBySide;
    if (within === undefined) return true;
    if (!needed.has(within)) return false;
    if (!file.startsWith(`${within}/test/`)) return true;
    return within === own && (file === suite.file || !file.endsWith('.test.ts'));
  };
  const parts = new Map<string, string[]>();
  for (const file of [...contents.keys()].filter(counts).sort()) {
    const part = packageOf(file) ?? file;
    parts.set(part, [...(parts.get(part) ?? []), `${contents.get(file)} ${file}`]);
  }
  const hash = (lines: readonly string[]) =>
    createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 24);
  return Object.fromEntries([...parts].map(([part, lines]) => [part, hash(lines)]));
}

/** The folder of the workspace's package that has the file, such as `packages/client`. */
const packageOf = (file: string): string | undefined =>
  /^(?:clients|infra|packages|services)\/[^/]+(?=\/)/.exec(file)?.[0];

/** The packages that a suite needs: its own, what its tests need, and what those need when they run. */
function packagesOf(suite: Suite, contents: Contents, read: (file: string) => string): ReadonlySet<string> {
  type Manifest = { name: string; dependencies?: object; devDependencies?: object };
  const manifests = new Map<string, Manifest>();
  const folders = new Map<string, string>();
  for (const folder of new Set([...contents.keys()].map(packageOf))) {
    const file = `${folder}/package.json`;
    if (folder === undefined || !contents.has(file)) continue;
    const manifest = JSON.parse(read(file)) as Manifest;
    manifests.set(folder, manifest);
    folders.set(manifest.name, folder);
  }
  const own = packageOf(suite.file) ?? '';
  const services = [...manifests.keys()].filter((one) => one.startsWith('services/'));
  const needed = new Set([own, ...(runSystem.test(suite.file) ? services : [])]);
  for (const folder of needed) {
    const { dependencies, devDependencies } = manifests.get(folder) ?? { name: '' };
    for (const name of Object.keys({ ...dependencies, ...(folder === own && devDependencies) })) {
      const next = folders.get(name);
      if (next !== undefined) needed.add(next); // the loop comes to it
    }
  }
  return needed;
}
