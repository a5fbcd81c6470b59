import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const inPackage = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const tsc = inPackage('../../node_modules/.bin/tsc');

let dir: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sigcast-client-'));
  await run(tsc, ['-p', inPackage('tsconfig.build.json'), '--outDir', join(dir, 'client')]);
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

const program = (call: string) => `
  import { Sigcast, SigcastError, verifyWebhook } from './client/index.js';
  const sigcast = new Sigcast({ apiKey: 'sk_1', baseUrl: 'https://api.test', maxRetries: 0 });
  ${call}
`;

/** What the compiler says of a program that has the browser's types alone, the declarations themselves included. */
async function compile(name: string, call: string): Promise<string> {
  writeFileSync(join(dir, name), program(call));
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', ''];
  const compiled = run(tsc, [...options, '--lib', 'es2022,dom', name], { cwd: dir });
  return compiled.then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describe('the built package', () => {
  it('is plain JavaScript that runs with nothing beside it', async () => {
    writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
    const call = 'console.log(typeof sigcast.signals.list, typeof verifyWebhook, SigcastError.name);';
    writeFileSync(join(dir, 'program.js'), program(call));
    const { stdout } = await run(process.execPath, [join(dir, 'program.js')]);
    expect(stdout).toBe('function function SigcastError\n');
  });

  it('brings its types, without those of Node or of the rest', async () => {
    const right =
      "const signal = await sigcast.signals.get('sig_1'); signal.data.token.socials.website?.length;";
    expect(await compile('right.ts', right)).toBe('');
    const wrong = await compile('wrong.ts', "await sigcast.signals.list({ status: 'lost' });");
    expect(wrong).toContain(`'"lost"' is not assignable`);
  });
});
