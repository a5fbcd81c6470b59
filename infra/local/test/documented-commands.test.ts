import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { operatedServices, operatorEntryOf } from '../src/system/process-spec.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

/** The usage of every command, by its service. */
const usages = new Map<string, readonly string[]>();
beforeAll(async () => {
  for (const service of operatedServices) {
    const { stdout } = await run(process.execPath, [operatorEntryOf(service), '--help', '--json']);
    const { commands } = JSON.parse(stdout) as { commands: { usage: string }[] };
    usages.set(
      service,
      commands.map(({ usage }) => usage),
    );
  }
});

/** The forms in which documents write an operator command. Each finds the service and the rest of the command. */
const forms = [
  /npx pnpm@12 operator ([a-z]+) ([a-z][^`#|\n]*)/g,
  /services\/([a-z]+)\/src\/operator\.ts ([a-z][^`#|)\n]*)/g,
  /`([a-z]+) operator ([a-z][^`\n]*)`/g,
];

type Written = { readonly service: string; readonly command: string };

function writtenIn(path: string): Written[] {
  const text = readFileSync(join(root, path), 'utf8');
  return forms.flatMap((form) =>
    [...text.matchAll(form)].map(([, service = '', command = '']) => ({ service, command: command.trim() })),
  );
}

/** What is wrong with a command; undefined when its service has it, with all its options. */
function problemOf({ service, command }: Written): string | undefined {
  const known = usages.get(service);
  if (known === undefined) return `there is no service ${service}`;
  const nameOf = (usage: string) => /^[a-z]+(?: [a-z]+)*/.exec(usage)?.[0] ?? '';
  const usage = known.find((one) => `${command} `.startsWith(`${nameOf(one)} `));
  if (usage === undefined) return `${service} has no command ${command}`;
  const options = [...(usage.match(/--[a-z-]+/g) ?? []), '--json', '--help'];
  const unknown = (command.match(/--[a-z-]+/g) ?? []).filter((option) => !options.includes(option));
  return unknown.length === 0 ? undefined : `${service} ${command}: ${unknown.join(', ')} is unknown`;
}

describe('every operator command in a document', () => {
  it('exists, with all its options', () => {
    const paths = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
      .trim()
      .split('\n');
    const written = paths.flatMap((path) => writtenIn(path).map((one) => ({ path, ...one })));
    expect(written.length).toBeGreaterThan(20);
    const problems = written.flatMap((one) => {
      const problem = problemOf(one);
      return problem === undefined ? [] : [`${one.path}: ${problem}`];
    });
    expect(problems).toEqual([]);
    expect(problemOf({ service: 'stats', command: 'verify --slowly' })).toContain('--slowly is unknown');
  });
});
