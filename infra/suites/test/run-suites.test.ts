import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contentsOf } from '../src/contents.ts';
import { inputsOf, suitesIn } from '../src/inputs.ts';
import { runSuites } from '../src/run-suites.ts';

const packageOf = (name: string, needs: readonly string[] = [], needsInTests: readonly string[] = []) => {
  const links = (names: readonly string[]) => Object.fromEntries(names.map((one) => [one, 'workspace:*']));
  return JSON.stringify({ name, dependencies: links(needs), devDependencies: links(needsInTests) });
};
const files: Readonly<Record<string, string>> = {
  'package.json': '{}',
  'pnpm-lock.yaml': '',
  'docker-compose.yml': '',
  'patches/driver.patch': '',
  'cspell.json': '{}',
  'README.md': '',
  'docs/operations.md': '',
  'docs/adr/0001-first.md': '',
  'infra/docker/package.json': packageOf('docker'),
  'infra/docker/Dockerfile': '',
  'infra/docker/test/compose.containers.test.ts': '',
  'packages/client/package.json': packageOf('client', [], ['testing']),
  'packages/client/CHANGELOG.md': '',
  'packages/client/src/index.ts': '',
  'packages/client/test/package.release.test.ts': '',
  'packages/client/test/retries.test.ts': '',
  'packages/client/test/samples.ts': '',
  'packages/testing/package.json': packageOf('testing', ['contracts'], ['bench']),
  'packages/contracts/package.json': packageOf('contracts'),
  'packages/contracts/src/events.ts': '',
  'packages/guides/package.json': packageOf('guides'),
  'packages/guides/src/pages/errors.md': '',
  'packages/bench/package.json': packageOf('bench'),
  'packages/bench/src/main.ts': '',
  'services/gateway/package.json': packageOf('gateway', ['guides', 'contracts']),
  'services/gateway/src/main.ts': '',
  'services/gateway/test/proxy.int.test.ts': '',
};
const client = 'packages/client/test/package.release.test.ts';
const containers = 'infra/docker/test/compose.containers.test.ts';

let dir: string;
let root: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sigcast-suites-test-'));
  root = join(dir, 'one');
  for (const [file, text] of Object.entries(files)) write(file, text);
  git('init', '--quiet');
  commit();
});
afterEach(() => rmSync(dir, { recursive: true }));

function git(...args: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...args], { cwd: root });
}
function commit(): void {
  git('add', '--all');
  git('commit', '--quiet', '--message', 'test');
}
function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

type Given = { readonly all?: boolean; readonly passes?: (command: string) => boolean };
/** Runs the suites. @returns the files of tests that ran, what was reported, and whether all passed. */
function suites({ all = false, passes = () => true }: Given = {}) {
  const ran: string[] = [];
  const lines: string[] = [];
  const passed = runSuites({
    root,
    all,
    report: (line: string) => void lines.push(line),
    run: (command, chosen) => {
      ran.push(...chosen);
      return passes(command);
    },
  });
  return { ran, lines, passed };
}

describe('a suite', () => {
  it.each([
    ['pnpm-lock.yaml', [client, containers]],
    ['package.json', [client, containers]],
    ['patches/driver.patch', [client, containers]],
    ['packages/contracts/src/events.ts', [client, containers]],
    ['docker-compose.yml', [client, containers]],
    ['packages/client/src/index.ts', [client]],
    [client, [client]],
    ['packages/client/test/samples.ts', [client]],
    ['infra/docker/Dockerfile', [containers]],
    [containers, [containers]],
    ['services/gateway/src/main.ts', [containers]],
    ['services/gateway/src/untracked.ts', [containers]],
    ['services/another/package.json', [containers]],
    ['packages/guides/src/pages/errors.md', [containers]],
    ['docs/operations.md', [containers]],
    ['packages/client/test/retries.test.ts', []],
    ['services/gateway/test/proxy.int.test.ts', []],
    ['packages/bench/src/main.ts', []],
    ['packages/client/CHANGELOG.md', []],
    ['docs/adr/0001-first.md', []],
    ['cspell.json', []],
  ])('runs when an input has changed, and only then: %s', (file, expected) => {
    expect(suites().ran).toEqual([client, containers]);
    expect(suites().ran).toEqual([]);
    write(file, file.endsWith('.json') ? `${files[file] ?? '{}'}\n` : 'changed');
    expect(suites().ran).toEqual(expected);
    expect(suites().ran).toEqual([]);
  });

  it('runs again when a file of its inputs is deleted, or may be executed now', () => {
    suites();
    rmSync(join(root, 'packages/client/src/index.ts'));
    execFileSync('chmod', ['+x', join(root, 'infra/docker/Dockerfile')]);
    expect(suites().ran).toEqual([client, containers]);
  });

  it('is skipped in a clone of a commit on which it passed, runs with FORCE=1, and says why', () => {
    suites();
    commit();
    git('clone', '--quiet', '.', '../two');
    root = join(dir, 'two');
    const skipped = suites();
    expect(skipped.ran).toEqual([]);
    expect(skipped.lines).toContain('skips package.release: nothing changed since it passed');
    expect(suites({ all: true }).ran).toEqual([client, containers]);
    write('pnpm-lock.yaml', 'changed');
    expect(suites().lines).toContain('runs  package.release: pnpm-lock.yaml changed since it passed');
  });

  it('that fails is not recorded: it runs again, and those of other commands do not', () => {
    const { passed } = suites({ passes: (command) => command === 'test:releases' });
    expect(passed).toBe(false);
    expect(suites()).toMatchObject({ ran: [containers], passed: true });
  });

  it('is not recorded when an input changes while it runs', () => {
    const touching = () => {
      appendFileSync(join(root, 'packages/client/src/index.ts'), 'changed');
      return true;
    };
    expect(suites({ passes: touching }).passed).toBe(true);
    expect(existsSync(join(root, '.ci/passed/package.release.json'))).toBe(false);
    expect(suites().ran).toContain(client);
  });
});

it('each suite of this repository has its own file, the lock file and the code that it runs among its inputs', () => {
  const here = join(import.meta.dirname, '../../..');
  const contents = contentsOf(here);
  const services = ['dashboard', 'gateway', 'signals', 'stats', 'tracker', 'webhooks'].map(
    (one) => `services/${one}`,
  );
  const present = suitesIn(contents.keys());
  expect(present.map(({ name }) => name)).toEqual([...new Set(present.map(({ name }) => name))]);
  for (const suite of present) {
    const parts = Object.keys(inputsOf(suite, contents, (file) => readFileSync(join(here, file), 'utf8')));
    const text = readFileSync(join(here, suite.file), 'utf8');
    const runs = /testSystem|startReplicas|stackOn|rolling/.test(text) ? services : [];
    expect([suite.name, parts]).toEqual([
      suite.name,
      expect.arrayContaining(['pnpm-lock.yaml', 'package.json', 'infra/local', ...runs]),
    ]);
  }
});
