import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sampleCalls } from '@sigcast/clients';
import { openApiDocument } from '@sigcast/contracts';
import { ensurePython } from '@sigcast/local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const client = fileURLToPath(new URL('..', import.meta.url));
const vectors = fileURLToPath(new URL('../../../packages/client/test/webhook-vectors.json', import.meta.url));

let python: string;
let dir: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sigcast-python-'));
  const logFile = join(dir, 'packages.log');
  python = await ensurePython({ logFile, report: (line) => process.stderr.write(`${line}\n`) });
  writeFileSync(join(dir, 'openapi.json'), JSON.stringify(openApiDocument('')));
  writeFileSync(join(dir, 'calls.json'), JSON.stringify(sampleCalls()));
}, 240_000);

afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Runs a module of Python in the client's folder. @returns what it printed; throws that when it fails. */
async function runModule(...args: string[]): Promise<string> {
  const env = {
    ...process.env,
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONPATH: 'src',
    OPENAPI: join(dir, 'openapi.json'),
    SAMPLE_CALLS: join(dir, 'calls.json'),
    WEBHOOK_VECTORS: vectors,
  };
  const ran = run(python, ['-m', ...args], { cwd: client, env, maxBuffer: 16_000_000 });
  const { stdout, stderr } = await ran.catch((failed: { stdout: string; stderr: string }) => {
    throw new Error(failed.stdout + failed.stderr);
  });
  return stdout + stderr;
}

describe('the Python client', () => {
  it('keeps what its own tests say, with asyncio and without', async () => {
    const said = await runModule('unittest', 'discover', '--start-directory', 'test');
    expect(said).toMatch(/^Ran [1-9]\d+ tests in /m);
    expect(said).toMatch(/^OK$/m);
    expect(said).not.toMatch(/Task was destroyed|was never (awaited|retrieved)/);
  }, 120_000);

  it('is typed throughout', async () => {
    const cache = join(dir, 'mypy');
    expect(await runModule('mypy', '--strict', '--cache-dir', cache, 'src')).toMatch(/^Success: /);
  }, 120_000);
});
