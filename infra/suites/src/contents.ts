import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Contents, releasedTree } from './inputs.ts';

/** The files of the tree that a commit of everything in a working copy would have. */
export function contentsOf(root: string): Contents {
  const dir = mkdtempSync(join(tmpdir(), 'sigcast-suites-'));
  const git = (args: readonly string[], env = process.env) =>
    execFileSync('git', args, { cwd: root, env, encoding: 'utf8', maxBuffer: 64 << 20 });
  try {
    const aside = { ...process.env, GIT_INDEX_FILE: join(dir, 'index') };
    cpSync(resolve(root, git(['rev-parse', '--git-path', 'index']).trim()), aside.GIT_INDEX_FILE);
    git(['add', '--all'], aside);
    const staged = git(['ls-files', '--stage', '-z'], aside).matchAll(/(\d+ \w+) 0\t([^\0]+)\0/g);
    const released = 'packages/contracts/released/*/openapi.json';
    const tree = git(['log', '-1', '--diff-filter=AM', '--format=%T', '--', released]).trim();
    return new Map([...staged].map(([, hash = '', file = '']) => [file, hash])).set(releasedTree, tree);
  } finally {
    rmSync(dir, { recursive: true });
  }
}
