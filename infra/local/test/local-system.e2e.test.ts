import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListedSignal } from '@sigcast/contracts';
import { eventually, readmeSamples, type ServiceProcess, spawnService } from '@sigcast/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askStore } from '../src/command-shapes.ts';
import { marketServer } from '../src/market/server.ts';
import { pickFreePort } from '../src/ports.ts';
import { commandOf } from '../src/system/process-table.ts';
import { descendants, isRunning } from './support.ts';

const entry = join(import.meta.dirname, 'local-system-process.ts');

let dir: string;
let port: number;
const running: ServiceProcess[] = [];
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sigcast-local-'));
  port = await pickFreePort();
});
afterEach(async () => {
  for (const started of running.splice(0)) await started.kill('SIGTERM');
  rmSync(dir, { recursive: true, force: true });
});

function start(env = {}, ...more: string[]): ServiceProcess {
  const started = spawnService(entry, env, [dir, String(port), ...more]);
  running.push(started);
  return started;
}

/** Runs an operator command on the system of the directory, as `npx pnpm@12 operator` does. */
async function operate(argv: string, env = {}): Promise<{ status: number; output: string }> {
  const command = spawnService(join(import.meta.dirname, 'operator-process.ts'), env, [
    dir,
    ...argv.split(' '),
  ]);
  const status = await command.exited;
  return { status: status ?? -1, output: command.output() };
}

/** The arguments of each `npx pnpm@12 operator` line in README. */
function readmeOperatorLines(): string[] {
  const [sample = ''] = readmeSamples().get('Operators') ?? [];
  const lines = sample.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(3);
  return lines.map((line) => {
    const [, argv = ''] = /^npx pnpm@12 operator (.*?)(?: +#.*)?$/.exec(line) ?? [];
    return argv;
  });
}

/** All processes that were started for the directory: their command or environment names it. */
function processesOf(directory: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) return false;
    try {
      const about = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8'));
      return about.some((text) => text.includes(directory));
    } catch {
      return false; // ended while it was being looked at
    }
  });
}

/** How many commands the services send to the store, and how often of them the worker has renewed its lease. */
async function commandsOf(mongodbUri: string) {
  type Counts = { databases: Record<string, Record<string, number>> };
  const { databases } = (await askStore<Counts>(mongodbUri, 'commandcounts')) ?? { databases: {} };
  const ofServices = Object.entries(databases).filter(([name]) => name.startsWith('sigcast_'));
  const total = ofServices.flatMap(([, commands]) => Object.values(commands)).reduce((sum, n) => sum + n, 0);
  return { total, renewals: databases.sigcast_webhooks?.findAndModify ?? 0 };
}

describe('the local system', () => {
  it('prints how to reach it when everything is ready, takes operator commands, starts a killed store again, is not disturbed by a second start, and leaves no process when it stops', async () => {
    const system = start();
    await eventually(() => expect(system.output()).toContain('Sigcast is ready'), { timeoutMs: 90_000 });
    const file = join(dir, 'demo.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const demo = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    expect(Object.keys(demo).sort()).toEqual([
      ...['api_key', 'dashboard_email', 'dashboard_password', 'dashboard_url', 'gateway_url', 'ingest_token'],
      'signals_url',
    ]);
    const list = await fetch(`${demo.gateway_url}/v1/signals`, {
      headers: { authorization: `Bearer ${demo.api_key}` },
    });
    expect(await list.json()).toMatchObject({ success: true, data: [], meta: { total: 0 } });

    const [redis] = descendants(system.pid).filter(({ pid }) => commandOf(pid).includes('redis-server'));
    process.kill(redis?.pid ?? 0, 'SIGKILL');
    await eventually(() =>
      expect(system.output()).toMatch(
        /redis ended \(.*signal SIGKILL\); starting it again[\s\S]* {2}redis ready in /,
      ),
    );

    const second = start();
    expect(await second.exited).toBe(0);
    expect(second.output()).toContain(`already running (process ${system.pid}); nothing was changed`);
    expect(processesOf(dir).length).toBeGreaterThan(5);

    expect(statSync(join(dir, 'operator.json')).mode & 0o777).toBe(0o600);
    for (const [argv, said] of Object.entries({
      [`gateway key list --account ${demo.dashboard_email}`]: 'local',
      'signals queues show': 'webhooks.fanout',
      'stats verify': '0 signals',
      'tracker backfill': '0 signals: 0 recorded',
      'webhooks parked list': '',
    })) {
      const { status, output } = await operate(argv);
      expect({ argv, status, output }).toMatchObject({
        argv,
        status: 0,
        output: expect.stringContaining(said),
      });
    }
    for (const line of readmeOperatorLines()) {
      const { status, output } = await operate(line);
      expect({ line, status, output }).toMatchObject({ line, status: 0 });
    }
    const elsewhere = await operate('stats verify', { MONGODB_URI: 'mongodb://127.0.0.1:1/' });
    expect(elsewhere).toMatchObject({
      status: 2,
      output: expect.stringContaining('SIGNALS_URL: is required'),
    });

    const children = descendants(system.pid);
    await system.kill('SIGTERM');
    expect(await system.exited).toBe(0);
    expect(children.filter(isRunning)).toEqual([]);
    expect(processesOf(dir)).toEqual([]);
    expect(() => statSync(file)).toThrow('ENOENT');
    expect((await operate('stats verify')).output).toContain('No local system is running');
  }, 120_000);

  it('with --live and sources that are away says which, works, and has signals of the sources once they answer', async () => {
    const sourcesPort = await pickFreePort();
    const url = `http://127.0.0.1:${sourcesPort}`;
    const settings = {
      SCANNER_DEXSCREENER_URL: url,
      SCANNER_GECKOTERMINAL_URL: `${url}/api/v2`,
      SCANNER_CHAINS: 'simulated',
      SCANNER_LISTS_MS: '1000',
    };
    const system = start(settings, '--live');
    const missing = `Can't be reached now: ${url} (connect ECONNREFUSED 127.0.0.1:${sourcesPort}), ${url}/api/v2`;
    await eventually(() => expect(system.output()).toContain(missing), { timeoutMs: 90_000 });
    const demo = JSON.parse(readFileSync(join(dir, 'demo.json'), 'utf8')) as Record<string, string>;
    const signals = async () => {
      const list = await fetch(`${demo.gateway_url}/v1/signals?include=origin`, {
        headers: { authorization: `Bearer ${demo.api_key}` },
      });
      return ((await list.json()) as { data: ListedSignal[] }).data;
    };
    expect(await signals()).toEqual([]);
    const market = marketServer({ seed: 1, faults: 0, intervalMs: 500, life: 'minutes' });
    market.listen(sourcesPort, '127.0.0.1');
    const [found] = await eventually(
      async () => {
        const listed = await signals();
        expect(listed.length).toBeGreaterThan(0);
        return listed;
      },
      { timeoutMs: 90_000 },
    );
    expect(found).toMatchObject({ token: { chain: 'simulated' }, origin: { rule: 'v1' } });
    market.close();
  }, 240_000);

  it('ends with exit status 1 when its port is in use, and names the port', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    const system = start();
    expect(await system.exited).toBe(1);
    expect(system.output()).toContain(`port ${port} is in use`);
    other.close();
  });

  it('asks its store at most some twelve times a second while nobody uses it, and takes its processes along when it is killed', async () => {
    const system = start();
    await eventually(() => expect(system.output()).toContain('Sigcast is ready'), { timeoutMs: 90_000 });
    const { MONGODB_URI: uri = '' } = JSON.parse(readFileSync(join(dir, 'backing.json'), 'utf8')) as Record<
      string,
      string
    >;
    // The worker renews its lease every two seconds, also of a slow machine.
    const perRenewal = async () => {
      const before = await commandsOf(uri);
      return eventually(async () => {
        const now = await commandsOf(uri);
        expect(now.renewals).toBeGreaterThanOrEqual(before.renewals + 3);
        return (now.total - before.total) / (now.renewals - before.renewals);
      });
    };
    await eventually(async () => expect(await perRenewal()).toBeLessThan(25), { timeoutMs: 60_000 });
    const children = descendants(system.pid);
    await system.kill('SIGKILL');
    await eventually(() => expect(children.filter(isRunning)).toEqual([]));
    await eventually(() => expect(processesOf(dir)).toEqual([]));
  }, 120_000);
});
