import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask } from './ask.ts';
import { World } from './harness.ts';

let world: World;
let gateway: string;

beforeAll(async () => {
  world = await World.start();
  gateway = await world.gateway();
});
afterAll(() => world[Symbol.asyncDispose]());

it('request show finds a request of any account by its id, with the log lines of all services in order', async () => {
  const { account, key } = await world.customer();
  const id = randomUUID();
  await ask(gateway, '/v1/nothing', { key, headers: { 'x-request-id': id } });
  const folder = await mkdtemp(join(tmpdir(), 'sigcast-logs-'));
  world.defer(() => rm(folder, { recursive: true }));
  const line = (service: string, time: string, request_id: string) =>
    `${JSON.stringify({ time, service, request_id, msg: 'request', status: 404 })}\n`;
  await writeFile(join(folder, 'gateway.log'), line('gateway', '2026-01-01T00:00:02Z', id));
  const others = `not JSON ${id}\n${line('signals', '2026-01-01T00:00:00Z', randomUUID())}`;
  await writeFile(join(folder, 'signals.log'), others + line('signals', '2026-01-01T00:00:01Z', id));
  const show = (...args: string[]) => world.command(['request', 'show', id, ...args], { LOG_DIR: folder });
  await eventually(async () => {
    const { status, data } = await show('--json');
    const request = { account, request_id: id, route: null, status: 404, code: 'NOT_FOUND' };
    expect(data).toMatchObject({
      requests: [request],
      lines: [{ service: 'signals' }, { service: 'gateway' }],
    });
    expect(status).toBe(0);
  });
  const { out } = await show();
  expect(out).toContain(account);
  expect(out).toContain('404 NOT_FOUND');
});

it('request show says how to ask for log lines that it can not read, and fails where nothing is found', async () => {
  const id = randomUUID();
  const { status, out } = await world.command(['request', 'show', id]);
  expect(status).toBe(1);
  expect(out).toContain('The log of requests has no such request.');
  expect(out).toContain(`request_id="${id}"`);
  expect((await world.command(['request', 'show', 'short'])).status).toBe(2);
});
