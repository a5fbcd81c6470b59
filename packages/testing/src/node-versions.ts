import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

/** A version of Node that is installed for tests. */
export type NodeVersion = {
  /** Such as `20.3.0`. */
  readonly version: string;
  /** Its program `node`. */
  readonly program: string;
  /** A PATH on which this program comes first, for commands that begin with `#!/usr/bin/env node`. */
  readonly path: string;
};

const require = createRequire(import.meta.url);

/**
 * The versions of Node that the client supports: the oldest one, Node 22, and the one that runs the tests.
 */
export const clientNodeVersions: readonly NodeVersion[] = [
  installed('node-20'),
  installed('node-22'),
  nodeVersion(process.versions.node, process.execPath),
];

/** The Node of an installed npm package, by the name under which the package is installed. */
function installed(name: string): NodeVersion {
  const manifest = require.resolve(`${name}/package.json`);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return nodeVersion(version, join(dirname(manifest), 'bin', 'node'));
}

function nodeVersion(version: string, program: string): NodeVersion {
  return { version, program, path: `${dirname(program)}${delimiter}${process.env.PATH ?? ''}` };
}
