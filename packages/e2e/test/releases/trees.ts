import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const workspaces = ['infra', 'packages', 'services'] as const;

/** The commit that recorded the newest release of the contracts. That release runs beside the present one during a rollout. */
export function releasedCommit(): string {
  const found = git(
    'log',
    '-1',
    '--diff-filter=AM',
    '--format=%H',
    '--',
    'packages/contracts/released/*/openapi.json',
  ).trim();
  if (found === '') throw new Error('no commit recorded a release; the history of this clone may be cut off');
  return found;
}

/** Writes the sources of a commit to a folder, where they run with the dependencies installed here. @returns the folder. */
export function sourcesAt(commit: string, dir: string): string {
  mkdirSync(dir, { recursive: true });
  const archive = execFileSync('git', ['archive', commit, 'package.json', ...workspaces], {
    cwd: root,
    maxBuffer: 256 * 1024 * 1024,
  });
  execFileSync('tar', ['-x', '-C', dir], { input: archive });
  linkDependencies(dir);
  return dir;
}

/** Writes the present sources, with changes, to a folder. @returns the folder. @throws when a text to replace is not there. */
export function changedSources(
  dir: string,
  changes: readonly { readonly file: string; readonly from: string; readonly to: string }[],
): string {
  mkdirSync(dir, { recursive: true });
  const files = git(
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '--',
    'package.json',
    ...workspaces,
  );
  for (const file of files.trim().split('\n')) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(dir, file));
  }
  for (const { file, from, to } of changes) {
    const text = readFileSync(join(dir, file), 'utf8');
    if (!text.includes(from)) throw new Error(`${file} does not contain: ${from}`);
    writeFileSync(join(dir, file), text.replace(from, to));
  }
  linkDependencies(dir);
  return dir;
}

/** Links the installed dependencies into the folder, where packages of the workspace refer to each other. */
function linkDependencies(dir: string): void {
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  for (const kind of workspaces) {
    for (const name of readdirSync(join(dir, kind))) {
      const from = join(root, kind, name, 'node_modules');
      const to = join(dir, kind, name, 'node_modules');
      // The links are relative, so that `@sigcast/…` leads to the packages of this folder.
      if (existsSync(from)) cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    }
  }
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' });
}
