import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnService } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runImport } from '../src/import/run.ts';
import { openModel, openService, openStack, type Service, testIdentities } from './fixture.ts';
import { sampleBody } from './samples.ts';

const command = new URL('../src/import.ts', import.meta.url).pathname;
const recorded = new URL('./fixtures/dexscreener-pairs.json', import.meta.url).pathname;

describe('the import command', () => {
  const { stack, resources, close } = openStack();
  const identities = testIdentities();
  let service: Service;
  let url: string;
  let directory: string;
  beforeAll(async () => {
    service = openService({ model: await openModel(stack, resources), identities });
    const server = createServer(service.app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    resources.defer(() => void server.close());
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    directory = await mkdtemp(join(tmpdir(), 'sigcast-import-'));
    resources.defer(() => rm(directory, { recursive: true }));
  });
  afterAll(close);

  const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const stdout: string[] = [];
    const stderr: string[] = [];
    const code = await runImport(
      args,
      { INGEST_TOKEN: identities.producer, ...env },
      {
        stdout: { write: (text) => stdout.push(text) },
        stderr: { write: (text) => stderr.push(text) },
      },
    );
    return { code, stdout: stdout.join(''), stderr: stderr.join('') };
  };
  const file = async (name: string, content: string) => {
    const path = join(directory, name);
    await writeFile(path, content);
    return path;
  };
  const named = (name: string) => service.model.find({ 'token.name': name }).lean();

  it('the import command stores a file’s signals, and creates nothing when it is repeated', async () => {
    const line = JSON.stringify(sampleBody({ name: 'from a file' }));
    const path = await file('good.ndjson', `${line}\n${line}\n`);
    expect(await run([path, '--url', url])).toMatchObject({
      code: 0,
      stdout: '2 lines: 2 created, 0 were there already, 0 failed\n',
    });
    expect(await run([path, '--url', `${url}/`])).toMatchObject({
      code: 0,
      stdout: '2 lines: 0 created, 2 were there already, 0 failed\n',
    });
    expect(await named('from a file')).toHaveLength(2);
  });

  it('the import command names the lines that failed, stores the others, and exits 1', async () => {
    const path = await file('mixed.ndjson', `{}\n${JSON.stringify(sampleBody({ name: 'mixed file' }))}\nno`);
    const { code, stdout } = await run([path, '--url', url]);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^line 1: token is required; .*\nline 3: .*JSON.*\n3 lines: 1 created, .* 2 failed\n$/,
    );
    expect(await named('mixed file')).toHaveLength(1);
  });

  it('the import command stores recorded pairs, says why the others are unusable, and creates nothing when it is repeated', async () => {
    const first = await run([recorded, '--url', url, '--type', '3d', '--premium']);
    expect(first.code).toBe(1);
    expect(first.stdout.match(/^pair \d+: .*$/gm)).toEqual([
      ...[1, 2].map((pair) => `pair ${pair}: no market cap (marketCap or fdv)`),
      ...[5, 6, 11, 12, 17].map((pair) => `pair ${pair}: no creation time, so no age (pairCreatedAt)`),
    ]);
    expect(first.stdout).toContain('17 pairs: 10 created, 0 were there already, 7 failed');
    expect(first.stdout).toContain('holders is 0');
    const again = await run([recorded, '--url', url, '--type', '3d', '--premium']);
    expect(again.stdout).toContain('17 pairs: 0 created, 10 were there already, 7 failed');
    expect(await named('EVERBURN')).toMatchObject([
      { type: '3d', is_premium: true, metrics: { mcap_entry: 177_862.33, holders: 0 } },
    ]);
  });

  it.each([
    ['no file', [], /exactly one FILE/],
    ['a file that is not there', ['/nowhere/at-all.ndjson'], /can't be read/],
    ['an unknown type', [recorded, '--type', '5d'], /--type must be one of/],
    ['an unknown option', [recorded, '--tpye', 'new'], /--tpye/],
    ['a file of another format', [command, '--format', 'dexscreener'], /not a recorded DexScreener/],
    ['an address where nothing listens', [command, '--url', 'http://127.0.0.1:1'], /can't be reached/],
  ])('the import command exits 2 with one message for %s', async (_, args, message) => {
    const { code, stdout, stderr } = await run(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('the import command is a process with the arguments, the environment and the exit code of its shell', async () => {
    const path = await file('process.ndjson', 'no');
    const env = { INGEST_TOKEN: identities.producer };
    await using child = spawnService(command, env, [path, '--url', url]);
    expect(await child.exited).toBe(1);
    expect(child.output()).toContain('1 lines: 0 created, 0 were there already, 1 failed\n');
  });

  it('the import command exits 2 for a token that is missing or refused', async () => {
    const path = await file('unauthorized.ndjson', JSON.stringify(sampleBody()));
    expect(await run([path, '--url', url], { INGEST_TOKEN: '' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--token-file'),
    });
    expect(await run([path, '--url', url], { INGEST_TOKEN: identities.account })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('UNAUTHORIZED'),
    });
  });
});
