import { linkSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pickFreePort } from '@sigcast/local';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProgram } from './command.ts';
import { expectToVerify, startPrinted } from './printed-receiver.ts';
import { PythonProject, readmeBlocks, readmePrograms } from './python-project.ts';
import { sharedSystem, type TestSystem } from './system.ts';

let system: TestSystem;
let project: PythonProject;
let env: Record<string, string>;

beforeAll(async () => {
  [system, project] = await Promise.all([sharedSystem(), PythonProject.make()]);
  env = { SIGCAST_URL: system.gatewayUrl, SIGCAST_API_KEY: system.apiKey };
});

afterAll(async () => {
  project?.[Symbol.dispose]();
  await system?.stop();
});

async function makeSignal(status?: string): Promise<string> {
  const id = await system.createSignal();
  if (status !== undefined) await system.ingest('PATCH', `/${id}`, { status });
  return id;
}

/** The position after the newest event. */
async function newestPosition(): Promise<string> {
  const { body } = await system.api('/v1/events?after=latest&limit=1');
  return (body as unknown as { meta: { next_cursor: string } }).meta.next_cursor;
}

/** Follows events with asyncio, and prints what the README's program prints. */
const followAwaited = `import asyncio
import os
import sys
from sigcast import AsyncSigcast


async def main() -> None:
    async with AsyncSigcast(os.environ["SIGCAST_API_KEY"], os.environ["SIGCAST_URL"]) as sigcast:
        async for event in sigcast.stream(last_event_id=sys.argv[1]):
            print(event["id"], event["event"], event["data"]["id"], flush=True)


asyncio.run(main())
`;

describe('a new project that has installed the Python client from its wheel', () => {
  it('runs every program of the README that reads, as printed, from the first signal on', async () => {
    const winner = await makeSignal('winner');
    await eventually(async () => {
      const { body } = await system.api(`/v1/events?events=signal.winner&signal_id=${winner}`);
      expect(body.data).toHaveLength(1);
    });
    expect(await project.run('winners.py', env)).toMatch(/^\d+ of \d+ won\nNOVA 0 %\n/);
    expect(await project.run('report.py', env)).toMatch(
      /^\d+ today, \d+ this week\n(?:evt_.*\n)*evt_\w+ NOVA\n/,
    );
    expect(await project.run('backtest.py', env)).toMatch(/^\d+ trades, -?[\d.]+ US dollars\n$/);
    const refused = await project.run('refused.py', env);
    expect(refused).toMatch(/^400 INVALID_REQUEST \[\{'field': 'limit', .*\}\] req_[\w-]+\n$/);
  });

  it('subscribes, and its receiver, as printed, accepts the first webhook and what sign_webhook signs', async () => {
    const port = await pickFreePort();
    const secret = (await project.run('subscribe.py', env, `http://127.0.0.1:${port}/`)).trim();
    expect(secret).toMatch(/^whsec_/);
    const text = readmePrograms['receiver.py'] ?? '';
    await using receiver = await startPrinted({
      program: project.python,
      file: 'receiver.py',
      text,
      secret,
      port,
    });
    const id = await makeSignal();
    await eventually(() => expect(receiver.said()).toContain(`signal.new ${id} NOVA`));

    // A request that breaks off does not end the receiver.
    const broken = connect(port, '127.0.0.1');
    const begun = 'POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 100\r\n\r\n{"event":';
    await new Promise((resolve) => broken.write(begun, resolve));
    broken.destroy();
    const send = (readmePrograms['send.py'] ?? '').replace('9000', String(port));
    project.write('send.py', send);
    expect(await project.run('send.py', { SIGCAST_SECRET: secret })).toBe('200\n');
    await eventually(() => expect(receiver.said()).toContain('signal.new sig_1 NOVA'));
  });

  it('has a receiver that refuses deliveries that are not genuine', async () => {
    const text = readmePrograms['receiver.py'] ?? '';
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    await expectToVerify({ program: project.python, file: 'receiver.py', text, secret });
  });

  it('misses and repeats no event while the gateway is killed and started again, with asyncio and without, and goes on after its own restart', async () => {
    const position = await newestPosition();
    writeFileSync(join(project.dir, 'last-event-id'), position);
    linkSync(join(project.dir, 'last-event-id'), join(project.dir, 'first-position'));
    project.write('follow_awaited.py', followAwaited);
    await using programs = new AsyncDisposableStack();
    const start = (...args: string[]) => {
      const inProject = ['-c', 'cd "$0" && exec "$@"', project.dir, project.python, ...args];
      const program = startProgram('sh', inProject, { env });
      programs.defer(async () => {
        program.child.kill('SIGKILL');
        await program.ended;
      });
      return program;
    };
    let blocking = start('follow.py');
    const awaited = start('follow_awaited.py', position);
    const told = (program: typeof blocking) =>
      program
        .out()
        .split('\n')
        .slice(0, -1)
        .map((line) => line.split(' ')[2]);

    const made = [await makeSignal()];
    for (const program of [blocking, awaited]) await eventually(() => expect(told(program)).toEqual(made));
    await system.processes.gateway.kill('SIGKILL');
    for (let n = 0; n < 5; n++) made.push(await makeSignal());
    await system.processes.gateway.start();
    for (const program of [blocking, awaited]) {
      await eventually(() => expect(told(program)).toHaveLength(6), { timeoutMs: 30_000 });
      expect([...told(program)].sort()).toEqual([...made].sort());
    }
    blocking.child.kill('SIGKILL');
    await blocking.ended;

    const later = await makeSignal();
    blocking = start('follow.py');
    await eventually(() => expect(told(blocking)).toEqual([later]));
    // The file was replaced, not written over: a crash while writing could leave half of an id.
    expect(readFileSync(join(project.dir, 'first-position'), 'utf8')).toBe(position);
  });

  it('verifies the public log, and the API and its statistics against it', async () => {
    await makeSignal('winner');
    const verified = await project.run('-m', env, 'sigcast', 'verify', '--json');
    const { checks, problems, record } = JSON.parse(verified) as Record<string, Record<string, unknown>>;
    expect({ problems, ...checks }).toMatchObject({
      problems: [],
      tree: 'holds',
      entries: 'holds',
      api: 'holds',
      statistics: 'holds',
    });
    expect(record?.signals).toBeGreaterThan(0);
  });

  it('has types: mypy accepts every program of the README, and refuses a status that does not exist', async () => {
    const wrong = (readmePrograms['winners.py'] ?? '').replace('status="winner"', 'status="lost"');
    project.write('wrong.py', wrong);
    const said = await project.check(...Object.keys(readmePrograms), 'wrong.py');
    expect(said).toMatch(/^wrong\.py:\d+: error: .* incompatible type "Literal\['lost'\]"/);
    expect(said).toContain('Found 1 error in 1 file (checked 9 source files)');
  });

  it('names every Python program of the README, so that none is left out above', () => {
    expect(readmeBlocks).toBe(Object.keys(readmePrograms).length);
    const run = ['winners', 'report', 'backtest', 'receiver', 'subscribe', 'send', 'follow', 'refused'];
    expect(Object.keys(readmePrograms).sort()).toEqual(run.map((name) => `${name}.py`).sort());
  });
});
