import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** A version of Node for tests. */
export type NodeVersion = {
  /** Such as `20.3.0`. */
  readonly version: string;
  /** Its program `node`. */
  readonly program: string;
  /** A PATH on which this program comes first, for commands that begin with `#!/usr/bin/env node`. */
  readonly path: string;
};

const cache = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache');

/**
 * The versions of Node that the client supports: the oldest one, Node 22, and the one that runs the tests. The first call
 * downloads the first two (90 MB), so that nobody else has to wait for them. Call this outside of tests, which have timeouts.
 */
export function clientNodeVersions(): readonly NodeVersion[] {
  return [
    ...['20.3.0', '22.23.3'].map((version) => nodeVersion(version, downloaded(version))),
    nodeVersion(process.versions.node, process.execPath),
  ];
}

function nodeVersion(version: string, program: string): NodeVersion {
  return { version, program, path: `${dirname(program)}${delimiter}${process.env.PATH ?? ''}` };
}

/** @returns the program. */
function downloaded(version: string): string {
  const dir = join(cache, `node-${version}`);
  if (!existsSync(dir)) {
    // Made aside and renamed, because other processes may do the same, and may be interrupted.
    const aside = `${dir}.${process.pid}`;
    const options = ['--no-audit', '--no-fund', '--ignore-scripts=false', '--prefix', aside];
    execFileSync('npm', ['install', ...options, `node@${version}`], { stdio: 'pipe' });
    try {
      renameSync(aside, dir);
    } catch (error) {
      rmSync(aside, { recursive: true });
      if (!existsSync(dir)) throw error;
    }
  }
  return join(dir, 'node_modules', 'node', 'bin', 'node');
}
