import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { completionScript } from '../src/system/completion.ts';

const run = promisify(execFile);

const script = completionScript('npx pnpm@12 operator', {
  gateway: [
    { usage: 'account create --email EMAIL [--if-missing]' },
    { usage: 'account delete ID|EMAIL --email EMAIL' },
    { usage: 'indexes' },
  ],
  stats: [{ usage: 'verify' }],
});

/** What bash offers for a line with its cursor at the end. */
async function completed(line: string): Promise<string[]> {
  const ask = `COMP_LINE="$1"; COMP_POINT=\${#1}; _sigcast_operator; echo "\${COMPREPLY[*]}"`;
  const { stdout } = await run('bash', ['-c', `${script}\n${ask}`, 'bash', line]);
  return stdout.trim() === '' ? [] : stdout.trim().split(' ');
}

describe('the completion of operator commands', () => {
  it.each([
    ['npx pnpm@12 operator ', ['gateway', 'stats']],
    ['npx pnpm@12 operator ga', ['gateway']],
    ['npx pnpm@12 operator gateway ', ['account', 'indexes']],
    ['npx pnpm@12 operator gateway account d', ['delete']],
    ['npx pnpm@12 operator gateway account create --', ['--email', '--if-missing', '--json', '--help']],
    ['npx pnpm@12 operator stats v', ['verify']],
    ['npx another ', []],
  ])('offers after "%s": %j', async (line, words) => {
    expect(await completed(line)).toEqual(words);
  });
});
