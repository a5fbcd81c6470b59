// Builds, starts, uses, kills, scales and stops the system of docker-compose.yml. The tests run in order: each goes on with
// the system that the test before has left.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, runReadmeTour } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Engine, openEngine } from './engine.ts';
import { type HostReceiver, startHostReceiver } from './host-receiver.ts';
import { type Stack, stackOn } from './stack.ts';
import { makeMongoStandIn, makeStandIns } from './stand-ins.ts';

const services = ['signals', 'stats', 'webhooks-api', 'webhooks-worker', 'tracker', 'gateway'] as const;
const everything = ['mongo', 'redis', 'rabbitmq', ...services, 'load-balancer'] as const;
const images = ['gateway', 'signals', 'stats', 'webhooks', 'tracker', 'scanner', 'setup', 'market'] as const;
/** What an image may add to its base, in bytes: somewhat more than the largest does. */
const sizeBudget = 60_000_000;
const minutes = 60_000;
/** The bound of waits: longer than anything takes that works. */
const hangs = 2 * minutes;

const dir = mkdtempSync(join(tmpdir(), 'sigcast-containers-'));
const report = (line: string) => process.stdout.write(`${line}\n`);
let engine: Engine;
let stack: Stack;
let receiver: HostReceiver | undefined;

beforeAll(async () => {
  if (process.getuid?.() !== 0)
    throw new Error('Root is needed: secrets belong to the users of the services');
  engine = await openEngine(join(dir, 'engine'), report);
  if (!engine.pulls) await makeStandIns({ engine, dir, report });
  stack = stackOn(engine, dir, { clients: 18_380, producers: 18_381 });
}, 10 * minutes);

afterAll(async () => {
  await receiver?.close();
  await stack?.compose('--profile', '*', 'down', '--volumes', '--remove-orphans').catch(report);
  await engine?.stop();
  execFileSync('rm', ['-rf', dir]);
}, 2 * minutes);

async function timed<T>(what: string, work: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work;
  report(`${what}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  return result;
}

async function inspect<T>(kind: 'image' | 'container', name: string): Promise<T> {
  return (JSON.parse(await engine.docker([kind, 'inspect', name])) as T[])[0] as T;
}

/**
 * Runs a command in a service's container. @throws unless it prints `expected`. The container compares and the status tells,
 * since an engine may lose what a short command prints (moby/moby#27289).
 */
async function expectToPrint(service: string, expected: string, ...command: string[]): Promise<void> {
  const compare =
    'expected=$1; shift; said=$("$@" 2>&1); [ "$said" = "$expected" ] || { echo "$said" >&2; exit 1; }';
  await stack.exec(service, 'sh', '-c', compare, service, expected, ...command);
}

type Answer = { status: number; body: string; headers: Headers };
async function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await fetch(`${stack.demo().gateway_url}${path}`, {
    headers,
    signal: AbortSignal.timeout(10_000),
  });
  return { status: answer.status, body: await answer.text(), headers: answer.headers };
}
const getAsDemo = (path: string) => get(path, { authorization: `Bearer ${stack.demo().api_key}` });

/** Creates a signal at the producers' port, reads it at the clients' port, and waits for its signed webhook. */
async function signalGoesThrough(): Promise<string> {
  const { signals_url: url, ingest_token: token } = stack.demo();
  const symbol = `T${Math.random().toString(36).slice(2, 9).toUpperCase()}`;
  const body = {
    token: { symbol, name: 'Through', contract: '0x01', age_hours: 3 },
    metrics: { mcap_entry: 100_000, volume_24h: 5_000, holders: 120, liquidity: 20_000 },
    type: 'new',
    is_premium: false,
  };
  const send = async () => {
    const answer = await fetch(`${url}/internal/v1/signals`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': symbol,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { data: { id: string } }).data.id;
  };
  const id = await eventually(send, { timeoutMs: hangs, everyMs: 250 });
  await eventually(async () => expect(await getAsDemo(`/v1/signals/${id}`)).toMatchObject({ status: 200 }), {
    timeoutMs: hangs,
    everyMs: 1_000,
  });
  await eventually(() => expect(receiver?.received.map((payload) => payload.data.id)).toContain(id), {
    timeoutMs: hangs,
    everyMs: 100,
  });
  return id;
}

describe('the images', () => {
  it(
    'can be built',
    async () => {
      await stack.compose('--profile', '*', 'config', '--quiet');
      await timed('build', stack.compose('--profile', '*', 'build', '--quiet'));
      if (!engine.pulls) await makeMongoStandIn({ engine, dir, report });
    },
    10 * minutes,
  );

  it(
    'stay within their budget, run as a numbered user, name their version and commit, and list what is in them',
    async () => {
      const base = await inspect<{ Size: number }>('image', 'node:24-bookworm-slim');
      for (const name of images) {
        const image = await inspect<{
          Size: number;
          Config: {
            User: string;
            Cmd: string[];
            Entrypoint: string[] | null;
            Labels: Record<string, string>;
          };
        }>('image', `sigcast/${name}`);
        const added = image.Size - base.Size;
        report(`sigcast/${name}: ${(added / 1e6).toFixed(1)} MB beyond its base`);
        expect([name, added < sizeBudget]).toEqual([name, true]);
        expect(image.Config.User).toBe('1000:1000');
        expect(image.Config.Cmd[0]).toBe('node');
        expect(image.Config.Labels).toMatchObject({
          'org.opencontainers.image.title': `sigcast-${name}`,
          'org.opencontainers.image.revision': stack.env.REVISION,
          'org.opencontainers.image.version': expect.stringMatching(/^\d+\.\d+\.\d+$/),
        });
        const run = (...command: string[]) => engine.docker(['run', '--rm', `sigcast/${name}`, ...command]);
        const bill = JSON.parse(await run('cat', 'sbom.cdx.json')) as {
          bomFormat: string;
          components: { name: string }[];
        };
        expect(bill.bomFormat).toBe('CycloneDX');
        const listed = bill.components.map((component) => component.name);
        expect(listed).toContain('zod');
        for (const tool of ['vitest', 'vite', 'typescript']) expect(listed).not.toContain(tool);
        const leftovers =
          'find / -xdev \\( -name npm -o -name _cacache -o -name "*.test.ts" \\) 2>/dev/null || true';
        expect((await run('sh', '-c', leftovers)).trim()).toBe('');
      }
    },
    3 * minutes,
  );
});

describe('docker compose up', () => {
  it(
    'says how to reach the system as soon as it can be reached',
    async () => {
      const first = await timed(
        'from `docker compose up` to the banner',
        stack.up(/docker compose stop ends/),
      );
      expect(first.output).toContain(`API key        ${stack.demo().api_key}`);
      const commands = first.output.match(/curl -H .*/g) ?? [];
      expect(commands).toHaveLength(3);
      for (const command of commands) {
        const answer = execFileSync('bash', ['-c', `${command.trim()} --fail --silent`], {
          encoding: 'utf8',
        });
        expect(JSON.parse(answer)).toMatchObject({ success: true });
      }
      await timed('stop', first.stop());
    },
    4 * minutes,
  );

  it(
    'makes the secrets of a tracker that the system did not have, and keeps all others and the API key',
    async () => {
      const { api_key: key } = stack.demo();
      const file = join(stack.secrets, 'passwords.json');
      const before = JSON.parse(readFileSync(file, 'utf8')) as { mongo: Record<string, string> };
      const { tracker, ...others } = before.mongo;
      writeFileSync(file, JSON.stringify({ ...before, mongo: others }));
      for (const folder of ['tracker', 'tracker-poller'])
        rmSync(join(stack.secrets, folder), { recursive: true });
      await timed('`docker compose up -d --wait`, again', stack.compose('up', '-d', '--wait'));
      const after = JSON.parse(readFileSync(file, 'utf8')) as typeof before;
      expect(after).toEqual({ ...before, mongo: { ...others, tracker: expect.stringMatching(/^\w{48}$/) } });
      expect(after.mongo.tracker).not.toBe(tracker);
      expect(readdirSync(join(stack.secrets, 'tracker-poller')).sort()).toEqual([
        ...['mongodb-uri', 'redis-url', 'signals-token'],
      ]);
      expect(stack.demo().api_key).toBe(key);
      expect(await getAsDemo('/v1/signals')).toMatchObject({ status: 200 });
    },
    4 * minutes,
  );

  it(
    "gives each service its own secrets, and the operator's key to nobody who serves",
    async () => {
      const expected: Record<(typeof services)[number], string[]> = {
        gateway: [
          'amqp-url',
          'gateway-identity.private.pem',
          'gateway-identity.public.pem',
          'gateway-seal.keys',
          'mongodb-uri',
          'redis-url',
        ],
        signals: ['amqp-url', 'gateway-identity.public.pem', 'mongodb-uri', 'operator.public.pem'],
        stats: ['amqp-url', 'gateway-identity.public.pem', 'mongodb-uri'],
        'webhooks-api': ['amqp-url', 'gateway-identity.public.pem', 'mongodb-uri', 'webhook-seal.keys'],
        'webhooks-worker': ['amqp-url', 'gateway-identity.public.pem', 'mongodb-uri', 'webhook-seal.keys'],
        tracker: ['amqp-url', 'gateway-identity.public.pem', 'log-signing.private.pem', 'mongodb-uri'],
      };
      for (const service of services) {
        await expectToPrint(service, expected[service].join('\n'), 'ls', '/run/secrets');
      }
      expect(statSync(stack.secrets).mode & 0o777).toBe(0o700);
      for (const folder of readdirSync(stack.secrets, { withFileTypes: true })) {
        const path = join(stack.secrets, folder.name);
        const files = folder.isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path];
        for (const file of files.filter((name) => !name.endsWith('.public.pem'))) {
          expect([file, statSync(file).mode & 0o077]).toEqual([file, 0]);
        }
      }
    },
    hangs,
  );

  it(
    'gives services no capability and no file system to write to, runs each below an init, and bounds its memory, processes and logs',
    async () => {
      for (const service of services) {
        const lines = ['Name:\tdocker-init', 'Uid:\t1000\t1000\t1000\t1000'];
        lines.push('CapBnd:\t0000000000000000', 'NoNewPrivs:\t1');
        const command = ['grep', '-E', '^(Name|Uid|CapBnd|NoNewPrivs):', '/proc/1/status'];
        await expectToPrint(service, lines.join('\n'), ...command);
      }
      for (const service of everything) {
        const [id = ''] = await stack.containers(service);
        const { HostConfig } = await inspect<{ HostConfig: Record<string, unknown> }>('container', id);
        expect([service, HostConfig.ReadonlyRootfs]).toEqual([service, true]);
        expect(HostConfig.CapDrop).toEqual(['ALL']);
        expect(HostConfig.Memory).toBeGreaterThan(0);
        expect(HostConfig.PidsLimit).toBeGreaterThan(0);
        expect(HostConfig.LogConfig).toMatchObject({ Config: { 'max-size': '10m', 'max-file': '3' } });
      }
    },
    hangs,
  );

  it(
    'lets nobody into the stores without a password, and a service only into its own database',
    async () => {
      await expectToPrint('redis', 'NOAUTH Authentication required.', 'redis-cli', 'ping');
      const program = `
      import { readFileSync } from 'node:fs';
      import mongoose from 'mongoose';
      const own = readFileSync('/run/secrets/mongodb-uri', 'utf8');
      const open = async (uri, db) => {
        const client = new mongoose.mongo.MongoClient(uri, { serverSelectionTimeoutMS: 5000 });
        return client.db(db).collection('accounts').findOne({}).then(() => 'yes', (error) => error.code)
          .finally(() => client.close());
      };
      const nobody = own.replace(/\\/\\/[^@]*@/, '//').replace('authSource=admin&', '');
      console.log(JSON.stringify([await open(own, 'sigcast_signals'), await open(own, 'sigcast_gateway'), await open(nobody, 'sigcast_signals')]));
    `;
      const answers = await stack.compose(
        ...[
          'exec',
          '-T',
          '-w',
          '/app/services/signals',
          'signals',
          'node',
          '--input-type=module',
          '-e',
          program,
        ],
      );
      expect(JSON.parse(answers)).toEqual(['yes', 13, 13]);
    },
    hangs,
  );
});

describe('the system in containers', () => {
  it(
    "passes README's tour, a signed webhook included",
    async () => {
      const cwd = join(dir, 'tour');
      mkdirSync(join(cwd, '.local'), { recursive: true });
      const demo = join(stack.secrets, '..', 'demo', 'demo.json');
      const env = { DEMO: demo, RECEIVER: engine.hostAddress, LISTEN: engine.hostAddress };
      const said = await runReadmeTour(cwd, env);
      expect(said).toContain('signal.new sig_');
      expect(said).toContain('NOVA');
      receiver = await startHostReceiver(engine.hostAddress, stack.demo());
      await signalGoesThrough();
    },
    2 * minutes,
  );

  it(
    'serves the dashboard, the documentation and the API reference',
    async () => {
      for (const path of ['/', '/home', '/docs', '/docs/reference']) {
        const { status, headers } = await get(path);
        expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
      }
    },
    hangs,
  );

  it(
    'shows its probes to neither clients nor producers',
    async () => {
      const { gateway_url: clients, signals_url: producers } = stack.demo();
      for (const url of [clients, producers].flatMap((to) => [`${to}/healthz`, `${to}/readyz`]))
        expect([url, (await fetch(url)).status]).toEqual([url, 404]);
    },
    hangs,
  );

  it(
    "counts requests without a key by the client's own address, whatever a client says of itself",
    async () => {
      const left = async (forwarded: string) =>
        Number(
          (await get('/v1/signals', { 'x-forwarded-for': forwarded })).headers.get('x-ratelimit-remaining'),
        );
      const before = await left('198.51.100.1');
      expect(await left('198.51.100.2')).toBe(before - 1);
      const program = `fetch('http://load-balancer:8080/v1/signals').then((r) => console.log(r.headers.get('x-ratelimit-remaining')))`;
      const elsewhere = await stack.exec('stats', 'node', '-e', program);
      expect(Number(elsewhere)).toBe(59);
    },
    hangs,
  );

  it(
    "runs an operator's commands",
    async () => {
      const run = ['run', '--rm', '--no-deps', '-T', 'operator'];
      const limits = ['--per-minute', '100000', '--per-day', '1000000'];
      await stack.compose(...run, 'plan', 'set', 'tests', ...limits);
      await stack.compose(...run, 'account', 'plan', stack.demo().dashboard_email, 'tests');
      const { headers } = await getAsDemo('/v1/signals');
      expect(headers.get('x-ratelimit-limit')).toBe('100000');
    },
    hangs,
  );

  it(
    'begins the history of signals that are older than the tracker, with the command in operations.md',
    async () => {
      const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs/operations.md'), 'utf8');
      const [line = ''] = /^SIGNALS_TOKEN=\$\(docker compose .* backfill$/m.exec(page) ?? [];
      const said = await stack.shell(line);
      expect(said).toMatch(/^[1-9]\d* signals: \d+ recorded$/m);
    },
    hangs,
  );

  it.each(everything)(
    'recovers by itself after %s was killed',
    async (service) => {
      const [id = ''] = await stack.containers(service);
      type State = { State: { Pid: number; Status: string } };
      const before = await inspect<State>('container', id);
      // The engine does not restart a container that it was told to kill. So a container in the engine's process namespace
      // kills the process, which may be on another machine than this one.
      const kill = ['sh', '-c', `kill -9 ${before.State.Pid}`];
      await engine.docker(['run', '--rm', '--pid=host', '--user=0', 'node:24-bookworm-slim', ...kill]);
      await eventually(
        async () => {
          const { State } = await inspect<State>('container', id);
          expect(State.Status).toBe('running');
          expect(State.Pid).not.toBe(before.State.Pid);
        },
        { timeoutMs: hangs, everyMs: 200 },
      );
      await timed(`a signal after ${service} was killed`, signalGoesThrough());
    },
    3 * minutes,
  );

  it(
    'serves with two replicas of every service, and with either replica alone',
    async () => {
      const scale = services.flatMap((service) => ['--scale', `${service}=2`]);
      await timed('scaling to two', stack.compose('up', '-d', '--wait', '--no-recreate', ...scale));
      for (const replica of [0, 1]) {
        const ids = await Promise.all(
          services.map(async (service) => (await stack.containers(service))[replica]),
        );
        expect(ids).not.toContain(undefined);
        await engine.docker(['stop', ...ids.map(String)]);
        await signalGoesThrough();
        await engine.docker(['start', ...ids.map(String)]);
        for (const id of ids) {
          await eventually(
            async () => {
              const { State } = await inspect<{ State: { Health: { Status: string } } }>(
                'container',
                String(id),
              );
              expect(State.Health.Status).toBe('healthy');
            },
            { timeoutMs: hangs, everyMs: 200 },
          );
        }
      }
    },
    5 * minutes,
  );

  it(
    'keeps its data when it is taken down, and follows the simulated market of the demo profile',
    async () => {
      const id = await signalGoesThrough();
      const { api_key: key } = stack.demo();
      await timed('down', stack.compose('down'));
      await timed('up with the demo profile', stack.compose('--profile', 'demo', 'up', '-d', '--wait'));
      expect(stack.demo().api_key).toBe(key);
      expect(await getAsDemo(`/v1/signals/${id}`)).toMatchObject({ status: 200 });
      await eventually(
        async () => {
          const { meta } = JSON.parse((await getAsDemo('/v1/signals')).body) as { meta: { total: number } };
          expect(meta.total).toBeGreaterThan(300);
        },
        { timeoutMs: hangs, everyMs: 1_000 },
      );
      // Signals that say what they rest on are the scanner's.
      await eventually(
        async () =>
          expect((await getAsDemo('/v1/signals?limit=100&include=origin')).body).toContain('"rule":"v1"'),
        { timeoutMs: hangs, everyMs: 1_000 },
      );
      // Once the past is made, only the poller changes signals.
      await eventually(
        async () => {
          const { data } = JSON.parse((await getAsDemo('/v1/signals?limit=5')).body) as {
            data: { id: string }[];
          };
          const details = await Promise.all(
            data.map(async ({ id: each }) => getAsDemo(`/v1/signals/${each}`)),
          );
          const followed = details.filter(({ body }) => {
            const signal = (JSON.parse(body) as { data: { created_at: string; updated_at: string } }).data;
            return signal.updated_at > signal.created_at;
          });
          expect(followed.length).toBeGreaterThan(0);
        },
        { timeoutMs: hangs, everyMs: 1_000 },
      );
    },
    5 * minutes,
  );

  it(
    'fails to start with the name of a service that does not become ready',
    async () => {
      const broken = stackOn(engine, dir, { clients: 18_380, producers: 18_381 });
      const env = { ...broken.env, WEBHOOK_ALLOWED_NETWORKS: 'nonsense' };
      const file = join(import.meta.dirname, '..', '..', '..', 'docker-compose.yml');
      const up = engine.docker(['compose', '-f', file, 'up', '-d', '--wait', '--no-deps', 'webhooks-api'], {
        env,
      });
      await expect(up).rejects.toThrow(/webhooks-api/);
    },
    3 * minutes,
  );
});
