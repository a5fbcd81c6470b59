import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { openGuides } from '@sigcast/guides';
import { packClient } from '@sigcast/local';
import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startProgram } from './command.ts';
import { sharedSystem, type TestSystem } from './system.ts';

const run = promisify(execFile);
const readme = readFileSync(join(import.meta.dirname, '../../client/README.md'), 'utf8');

/** The lines of those samples of a document that begin with the command. */
function linesOf(markdown: string, command: string): string[] {
  const samples = [...markdown.matchAll(/^```(?:sh|text)\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  const ours = samples.filter((text) => text.startsWith(`${command} `));
  return ours.flatMap((text) => text.trimEnd().split('\n'));
}

/** The lines of such samples in the documentation at /docs. */
function guideLines(): string[] {
  const pages = openGuides().texts.filter(({ path }) => path.endsWith('.md'));
  return pages.flatMap(({ content }) => linesOf(content(), 'npx --no -- sigcast'));
}

let system: TestSystem;
let receiver: Receiver;
let home: string;
const running: ReturnType<typeof startProgram>[] = [];

beforeAll(async () => {
  system = await sharedSystem();
  receiver = await startReceiver();
  home = mkdtempSync(join(tmpdir(), 'sigcast-home-'));
  writeFileSync(join(home, 'package.json'), '{"private":true}');
  const packed = await packClient(mkdtempSync(join(home, 'packed-')));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', packed], { cwd: home });
});

afterEach(() => {
  for (const command of running.splice(0)) command.kill();
});
afterAll(async () => {
  if (home) rmSync(home, { recursive: true });
  await receiver?.[Symbol.asyncDispose]();
  await system?.stop();
});

/** A signal that won, a webhook, and a delivery to it that failed. */
async function examples() {
  const signal = await system.createSignal();
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

/** Runs each line in a shell; lines that follow events end by Ctrl-C. @returns what each command printed, by its name. */
async function typeLines(lines: readonly string[], env: Readonly<Record<string, string>>) {
  const said = new Map<string, string>();
  for (const line of lines) {
    const name = line.replace('npx --no -- ', '').split(' ').slice(0, 3).join(' ');
    const typed = line.replace('http://127.0.0.1:8080', system.gatewayUrl);
    const follows = /^sigcast (events tail|webhooks listen)/.test(name);
    const inHome = ['-c', `cd "$HOME_OF_TEST" && exec ${typed}`];
    const command = startProgram('bash', inHome, { env, input: `${system.apiKey}\n` });
    running.push(command);
    if (follows) {
      await command.says('; Ctrl-C ends it');
      command.pressCtrlC();
    }
    const { code: status, signal } = await command.ended;
    // npx is ended by the signal itself, which a shell shows as 130.
    const code = signal === 'SIGINT' ? 130 : status;
    // The API takes one test of a webhook in 10 s.
    const refusedAsTooEarly = name === 'sigcast webhooks trigger' && command.err().includes('CONFLICT');
    const expected = follows ? 130 : refusedAsTooEarly ? 1 : 0;
    expect({ line, code, err: code === expected ? '' : command.err() }).toEqual({
      line,
      code: expected,
      err: '',
    });
    said.set(name, command.out());
  }
  return said;
}

describe('the samples of the command line', () => {
  it('in the client’s README do what they say on a running system, from the login on', async () => {
    const ids = await examples();
    const lines = linesOf(readme, 'sigcast');
    const said = await typeLines(lines, { ...settings(), ...ids });
    expect(said.get('sigcast login --url')).toContain('Stored the key');
    expect(said.get('sigcast signals list')).toContain(ids.SIGNAL);
    expect(said.get('sigcast signals get')).toContain('winner');
    expect(said.get('sigcast stats --include')).toContain('REALIZABLE');
    expect(said.get('sigcast backtest --since')).toMatch(/^Backtest +bt_/);
    expect(said.get('sigcast backtest list')).toContain('completed');
    expect(said.get('sigcast webhooks list')).toContain(ids.WEBHOOK);
    expect(said.get('sigcast deliveries list')).toContain(ids.DELIVERY);
    expect(said.get('sigcast deliveries get')).toContain('bad_status');
    expect(said.get('sigcast deliveries retry')).toMatch(/^Delivered /);
    expect(lines.at(-1)).toBe('sigcast logout');
  });

  it('in the documentation work by npx', async () => {
    const { SIGNAL, WEBHOOK, DELIVERY } = await examples();
    const env = { ...settings(), SIGCAST_URL: system.gatewayUrl, WEBHOOK_ID: WEBHOOK };
    const said = await typeLines(guideLines(), env);
    expect(said.get('sigcast login')).toContain('Stored the key');
    expect(said.get('sigcast signals list')).toContain(SIGNAL);
    expect(said.get('sigcast deliveries list')).toContain(DELIVERY);
  });
});

/** An environment without a key, an address or an earlier login. */
function settings(): Record<string, string> {
  return {
    HOME_OF_TEST: home,
    XDG_CONFIG_HOME: mkdtempSync(join(home, 'config-')),
    PATH: `${join(home, 'node_modules/.bin')}${delimiter}${process.env.PATH}`,
    SIGCAST_API_KEY: '',
    SIGCAST_URL: '',
  };
}
