import { afterEach, beforeEach, expect, it } from 'vitest';
import { askService } from '../src/proxy/ask-service.ts';
import { systemLookup } from '../src/proxy/origin.ts';
import { Upstream } from '../src/proxy/upstream.ts';
import { type ScriptedUpstream, startUpstream } from './scripted-upstream.ts';

let resources: AsyncDisposableStack;
let healthy: ScriptedUpstream;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  healthy = await replica();
});
afterEach(() => resources.disposeAsync());

async function replica(): Promise<ScriptedUpstream> {
  const started = await startUpstream();
  resources.defer(() => started.close());
  return started;
}

function service(...origins: string[]): Upstream {
  const timeouts = { connectMs: 1_000, headersMs: 30_000, idleMs: 30_000, lookup: systemLookup };
  return new Upstream({ name: 'signals', origins, ...timeouts }, resources);
}

const ask = (of: Upstream) => askService(of, '/internal/v1/state', 'token');

it('askService asks the next address when one accepts the request and does not answer', async () => {
  const hung = await replica();
  hung.answer = () => undefined;
  const both = service(hung.url, healthy.url);
  // Round robin: each of the two addresses is first once.
  for (let at = 0; at < 2; at += 1) expect(await ask(both)).toEqual([]);
  expect(hung.requests.length).toBeGreaterThan(0);
});

it('askService marks an address that it can not reach as unhealthy: requests go to the others', async () => {
  const dead = await startUpstream();
  await dead.close();
  const both = service(dead.url, healthy.url);
  for (let at = 0; at < 2; at += 1) expect(await ask(both)).toEqual([]);
  const next = [both.next(new Set()), both.next(new Set())];
  expect(next.map((address) => address?.origin)).toEqual([healthy.url, healthy.url]);
});

it('askService marks an unhealthy address that answers as healthy, and one that announces to close as unhealthy', async () => {
  const one = service(healthy.url);
  const address = one.next(new Set());
  address?.markUnhealthy();
  await ask(one);
  expect(address?.nextTryAtMs).toBe(0);
  healthy.answer = (_req, res) => res.writeHead(200, { connection: 'close' }).end('{"data":[]}');
  await ask(one);
  expect(address?.nextTryAtMs).toBeGreaterThan(0);
});

it('askService fails with SERVICE_UNAVAILABLE when no address answers', async () => {
  healthy.answer = () => undefined;
  await expect(ask(service(healthy.url))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});
