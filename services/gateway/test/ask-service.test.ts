import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { askService } from '../src/proxy/ask-service.ts';
import { systemLookup } from '../src/proxy/origin.ts';
import { Upstream } from '../src/proxy/upstream.ts';
import { type ScriptedUpstream, startUpstream } from './harness.ts';

let resources: AsyncDisposableStack;
let well: ScriptedUpstream;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  well = await replica();
});
afterEach(() => resources.disposeAsync());

async function replica(): Promise<ScriptedUpstream> {
  const started = await startUpstream();
  resources.defer(() => started.close());
  return started;
}

function service(...origins: string[]): Upstream {
  const timeouts = { connectMs: 1_000, headersMs: 30_000, idleMs: 30_000, lookup: systemLookup };
  return new Upstream('signals', origins, timeouts, resources);
}

const ask = (of: Upstream) => askService(of, '/internal/v1/state', 'token');

it('an operator’s question goes on to the next address when one takes it and says nothing', async () => {
  const hung = await replica();
  hung.answer = () => undefined;
  const both = service(hung.url, well.url);
  // Whichever is first in turn, the other is first the second time.
  for (let at = 0; at < 2; at += 1) expect(await ask(both)).toEqual([]);
  expect(hung.requests.length).toBeGreaterThan(0);
});

it('an address that an operator’s question could not reach is asked by nobody while there are others', async () => {
  const dead = await startUpstream();
  await dead.close();
  const both = service(dead.url, well.url);
  for (let at = 0; at < 2; at += 1) expect(await ask(both)).toEqual([]);
  const next = [both.next(new Set()), both.next(new Set())];
  expect(next.map((address) => address?.origin)).toEqual([well.url, well.url]);
});

it('an address in doubt that answers an operator’s question is trusted again, but not one that is about to stop', async () => {
  const one = service(well.url);
  const address = one.next(new Set());
  address?.markUnhealthy();
  await ask(one);
  expect(address?.nextTryAtMs).toBe(0);
  well.answer = (_req, res) => res.writeHead(200, { connection: 'close' }).end('{"data":[]}');
  await ask(one);
  expect(address?.nextTryAtMs).toBeGreaterThan(0);
});

it('an operator’s question that no address answers ends as SERVICE_UNAVAILABLE', async () => {
  well.answer = () => undefined;
  await expect(ask(service(well.url))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});
