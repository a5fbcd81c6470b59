import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ensurePython } from '@sigcast/local';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { finish as commandLine } from './terminal.ts';
import { verifyBy } from './verifier.ts';

// Each test of `sigcast verify` runs here, too, with both verifiers.
vi.setConfig({ testTimeout: 120_000 });
await import('./verify.test.ts');

const source = fileURLToPath(new URL('../../../../clients/python/src', import.meta.url));
let python: string;
let dir: string;
let compared = 0;

/** Verifies with `python -m sigcast` and with the command line, which must say, and remember, the same. */
const both: typeof commandLine = async (line, options) => {
  const words = typeof line === 'string' ? line.split(' ') : [...line];
  const at = words.indexOf('--remember') + 1;
  const [file, copy] = [words[at] ?? '', join(dir, 'remembered')];
  rmSync(copy, { force: true });
  if (at > 0 && existsSync(file)) copyFileSync(file, copy);
  const [inNode, inPython] = await Promise.all([
    commandLine(line, options),
    inPythonOf(at > 0 ? words.with(at, copy) : words, options?.env),
  ]);
  const read = (out: string): unknown => (words.includes('--json') && out ? JSON.parse(out) : out);
  expect({ exit: inPython.exit, said: read(inPython.out) }).toEqual({
    exit: inNode.exit,
    said: read(inNode.out),
  });
  if (at > 0 && existsSync(file)) expect(readFileSync(copy, 'utf8')).toBe(readFileSync(file, 'utf8'));
  compared += 1;
  return inPython;
};

async function inPythonOf(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const path = { PYTHONPATH: source, PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' };
  const child = spawn(python, ['-m', 'sigcast', ...words], { env: { ...path, ...env } });
  const ended = new Promise<number>((resolve) => child.on('close', resolve));
  const [out, err, exit] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { exit, out: out.trimEnd(), err: err.trimEnd() };
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sigcast-python-'));
  const logFile = join(dir, 'packages.log');
  python = await ensurePython({ logFile, report: (line) => process.stderr.write(`${line}\n`) });
  verifyBy(both);
}, 240_000);

afterAll(() => {
  verifyBy(commandLine);
  rmSync(dir, { recursive: true, force: true });
});

it('python -m sigcast verify names each forgery in the words of the command line, and remembers the same', () => {
  // Those tests have compared both, each with each log.
  expect(compared).toBeGreaterThan(25);
});
