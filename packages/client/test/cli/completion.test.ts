import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { finish } from './terminal.ts';

const run = promisify(execFile);

/** What bash offers for the last of these words. */
async function completed(...words: readonly string[]): Promise<string[]> {
  const { out } = await finish('completion');
  const ask = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sigcast; echo "\${COMPREPLY[*]}"`;
  const { stdout } = await run('bash', ['-c', `${out}\n${ask}`, 'bash', ...words]);
  return stdout.trim() === '' ? [] : stdout.trim().split(' ');
}

describe('sigcast completion', () => {
  it('prints a script by which bash offers commands, then their second words, then options', async () => {
    expect(await completed('sigcast', 'web')).toEqual(['webhooks']);
    expect(await completed('sigcast', 'webhooks', '')).toEqual(['list', 'listen', 'trigger']);
    expect(await completed('sigcast', 'webhooks', 'listen', '--fo')).toEqual(['--forward']);
    expect(await completed('sigcast', 'stats', '--p')).toEqual(['--period']);
    expect(await completed('sigcast', 'backtest', 'd')).toEqual(['delete']);
    expect(await completed('sigcast', 'backtest', '--min-l')).toEqual(['--min-liquidity']);
    expect(await completed('sigcast', 'backtest', '--since', 'x', '--t')).toEqual(['--type', '--target']);
    expect(await completed('sigcast', 'backtest', 'list', '--s')).toEqual([]);
    expect(await completed('sigcast', 'nonsense', '')).toEqual([]);
  });
});
