import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
import { startProgram } from './command.ts';
import { newSignal, type TestSystem, testSystem } from './system.ts';

const inClient = (path: string) => fileURLToPath(new URL(`../../client/${path}`, import.meta.url));

/** The lines of the README's section about the command line. */
function readmeLines(): string[] {
  const [, section = ''] = readFileSync(inClient('README.md'), 'utf8').split('## On the command line\n');
  const [, block = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(section) ?? [];
  return block.trimEnd().split('\n');
}

let system: TestSystem;
let receiver: Receiver;
let home: string;

beforeAll(async () => {
  system = await testSystem();
  receiver = await startReceiver();
  home = mkdtempSync(join(tmpdir(), 'sigcast-home-'));
  mkdirSync(join(home, 'bin'));
  const script = `#!/bin/sh\nexec "${process.execPath}" "${inClient('src/cli/main.ts')}" "$@"\n`;
  writeFileSync(join(home, 'bin', 'sigcast'), script, { mode: 0o755 });
}, 60_000);

afterAll(async () => {
  if (home) rmSync(home, { recursive: true });
  await receiver?.[Symbol.asyncDispose]();
  await system?.stop();
}, 30_000);

/** A signal that won, a webhook, and a delivery to it that failed. */
async function examples() {
  const { body } = await system.ingest('POST', '', newSignal());
  const { id: signal } = body.data as { id: string };
  await system.ingest('PATCH', `/${signal}`, { status: 'winner' });
  receiver.script('/hook', 500);
  const hook = { url: `${receiver.url}/hook`, events: ['signal.dead'] };
  const made = await system.api('/v1/webhooks', { method: 'POST', body: JSON.stringify(hook) });
  const { id: webhook } = made.body.data as { id: string };
  const tested = await system.api(`/v1/webhooks/${webhook}/test`, { method: 'POST' });
  const { id: delivery } = tested.body.data as { id: string };
  await eventually(async () => {
    const { body: seen } = await system.api(`/v1/webhooks/${webhook}/deliveries/${delivery}`);
    expect(seen.data).toMatchObject({ status: 'failed' });
  });
  return { SIGNAL: signal, WEBHOOK: webhook, DELIVERY: delivery };
}

describe('the lines of the client’s README about the command line', () => {
  it('do on a running system what stands beside them, from the login on', async () => {
    const ids = await examples();
    const env = {
      ...{ ...ids, XDG_CONFIG_HOME: home, PATH: `${join(home, 'bin')}:${process.env.PATH}` },
      ...{ SIGCAST_API_KEY: '', SIGCAST_URL: '' },
    };
    const lines = readmeLines();
    const said = new Map<string, string>();
    for (const line of lines) {
      const name = line.split(' ').slice(1, 3).join(' ');
      const typed = line.replace('http://127.0.0.1:8080', system.gatewayUrl);
      const command = startProgram('bash', ['-c', `exec ${typed}`], env, `${system.apiKey}\n`);
      const follows = name === 'events tail' || name === 'webhooks listen';
      if (follows) {
        await command.says('; Ctrl-C ends it');
        command.press();
      }
      // A test of a webhook may follow another one after 10 s.
      const { code } = await command.ended;
      const refusedAsTooEarly = name === 'webhooks trigger' && command.err().includes('CONFLICT');
      const expected = follows ? 130 : refusedAsTooEarly ? 1 : 0;
      expect({ line, code, err: code === expected ? '' : command.err() }).toEqual({
        line,
        code: expected,
        err: '',
      });
      said.set(line.split(' ').slice(0, 3).join(' '), command.out());
    }
    expect(said.get('sigcast login --url')).toContain('Stored the key');
    expect(said.get('sigcast signals list')).toContain(ids.SIGNAL);
    expect(said.get('sigcast signals get')).toContain('winner');
    expect(said.get('sigcast webhooks list')).toContain(ids.WEBHOOK);
    expect(said.get('sigcast deliveries list')).toContain(ids.DELIVERY);
    expect(said.get('sigcast deliveries get')).toContain('bad_status');
    expect(said.get('sigcast deliveries retry')).toMatch(/^Delivered /);
    expect(lines.at(-1)).toBe('sigcast logout');
  }, 120_000);
});
