import type { LookupAddress } from 'node:dns';
import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { nameLookup } from '../src/sending/name-lookup.ts';
import { type Sender, type SenderOptions, sender } from '../src/sending/sender.ts';
import { claimedFor } from './claimed.ts';
import { type Records, startNameServer } from './name-server.ts';
import { testSealer } from './test-sealer.ts';
import { developmentPolicy } from './test-workers.ts';

let receiver: Receiver;
const senders: Sender[] = [];
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(async () => {
  for (const { close } of senders) await close();
  await receiver[Symbol.asyncDispose]();
});

function start(options: Partial<SenderOptions> = {}): Sender {
  const made = sender({ policy: developmentPolicy, secrets: testSealer, now: Date.now, ...options });
  senders.push(made);
  return made;
}
const port = () => new URL(receiver.url).port;
const at = (path: string) => receiver.requests.filter((request) => request.path === path);

it.each([201, 202, 204, 301, 302, 307, 308, 400, 410, 500, 503])(
  'an attempt that is answered %s has failed',
  async (status) => {
    receiver.script(`/status-${status}`, (response) => {
      response.writeHead(status, { location: `${receiver.url}/elsewhere` }).end();
    });
    const result = await start().send(claimedFor(`${receiver.url}/status-${status}`));
    expect(result).toMatchObject({ outcome: 'bad_status', http_status: status });
    expect(at('/elsewhere')).toHaveLength(0);
  },
);

it('an attempt gives its receiver 5 seconds', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  await start().send(claimedFor(`${receiver.url}/prompt`));
  expect(timers.mock.calls.map(([, ms]) => ms)).toContain(5_000);
  timers.mockRestore();
});

it('an attempt has succeeded with the head of its answer, whether or not the body ever ends', async () => {
  receiver.script('/dribble', (response) => {
    response.writeHead(200).write('so far');
  });
  expect(await start().send(claimedFor(`${receiver.url}/dribble`))).toMatchObject({
    outcome: 'succeeded',
    http_status: 200,
    error: null,
    response_body: 'so far',
  });
});

it('an attempt keeps the first kB of an answer of any size, cut between characters', async () => {
  receiver.script('/flood', (response) => {
    const flood = () => {
      while (response.write('✓'.repeat(4_096)));
      response.once('drain', flood);
    };
    flood();
  });
  const { response_body: kept } = await start().send(claimedFor(`${receiver.url}/flood`));
  expect(kept).toBe('✓'.repeat(333));
});

it('an attempt does not tell the subscriber to which inside address a name leads', async () => {
  const lookup: SenderOptions['lookup'] = (_host, _options, done) =>
    done(null, [{ address: '10.1.2.3', family: 4 }]);
  const result = await start({ lookup }).send(claimedFor(`http://vault.corp:${port()}/`));
  expect(result.outcome).toBe('refused_address');
  expect(result.error).not.toContain('10.1.2.3');
});

it('an attempt goes only to those addresses of a name that are permitted', async () => {
  const lookup: SenderOptions['lookup'] = (_host, _options, done) =>
    done(null, [
      { address: '169.254.169.254', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]);
  const result = await start({ lookup }).send(claimedFor(`http://mixed.test:${port()}/mixed`));
  expect(result.outcome).toBe('succeeded');
  expect(at('/mixed')).toHaveLength(1);
});

it('the log of an attempt has its address and its timings', async () => {
  await using names = await startNameServer('timed.test');
  const result = await start({ nameServers: [names.server] }).send(
    claimedFor(`http://timed.test:${port()}/timed`),
  );
  expect(result).toMatchObject({
    outcome: 'succeeded',
    address: '127.0.0.1',
    timings: {
      dns_ms: expect.any(Number),
      connect_ms: expect.any(Number),
      tls_ms: null,
      first_byte_ms: expect.any(Number),
    },
  });
});

it('the log of a failed attempt has the timings of the phases that it reached', async () => {
  receiver.script('/mute', 'hang');
  const result = await start({ timeoutMs: 200 }).send(claimedFor(`${receiver.url}/mute`));
  expect(result).toMatchObject({
    outcome: 'timeout',
    address: '127.0.0.1',
    timings: { dns_ms: null, connect_ms: expect.any(Number), tls_ms: null, first_byte_ms: null },
  });
});

it('host names whose name servers do not answer hold up nobody else', async () => {
  await using names = await startNameServer('healthy.test');
  const sending = start({ nameServers: [names.server], timeoutMs: 3_000 });
  let ended = 0;
  const silent = Array.from({ length: 40 }, async (_, n) => {
    const result = await sending.send(claimedFor(`http://silent-${n}.test:${port()}/`));
    ended++;
    return result.outcome;
  });
  await eventually(() => expect(new Set(names.asked).size).toBe(40));
  const healthy = await sending.send(claimedFor(`http://healthy.test:${port()}/healthy`));
  expect(healthy.outcome).toBe('succeeded');
  expect(ended).toBe(0);
  expect(new Set(await Promise.all(silent))).toEqual(new Set(['timeout']));
});

it.each<[silent: string, records: Records, found: LookupAddress]>([
  ['IPv6', { A: ['127.0.0.1'] }, { address: '127.0.0.1', family: 4 }],
  ['IPv4', { AAAA: ['::1'] }, { address: '::1', family: 6 }],
])(
  'host names whose name server does not answer for %s are resolved without waiting for it',
  async (_, records, expected) => {
    await using names = await startNameServer();
    names.names.set('half.test', records);
    const { lookup, close } = nameLookup({ servers: [names.server], ipv6: () => true });
    const found = await new Promise((resolve, reject) => {
      // Sooner than the timeout of a query.
      const late = setTimeout(reject, 1_500, new Error('still waiting'));
      lookup('half.test', { all: true }, (error, addresses) => {
        clearTimeout(late);
        if (error) reject(error);
        else resolve(addresses);
      });
    });
    expect(found).toEqual([expected]);
    close();
  },
);

it('host names have their IPv6 addresses asked for only by a machine that has one', async () => {
  await using names = await startNameServer('plain.test');
  const lookUp = (ipv6: boolean) =>
    new Promise((resolve, reject) => {
      const { lookup } = nameLookup({ servers: [names.server], ipv6: () => ipv6 });
      lookup('plain.test', { all: true }, (error) => (error ? reject(error) : resolve(undefined)));
    });
  await lookUp(false);
  expect(names.asked).toHaveLength(1);
  await lookUp(true);
  await eventually(() => expect(names.asked).toHaveLength(3));
});

it('a host name with several addresses is delivered to at the next one when one refuses', async () => {
  const lookup: SenderOptions['lookup'] = (_host, _options, done) =>
    done(
      null,
      ['127.9.9.9', '127.0.0.1'].map((address) => ({ address, family: 4 })),
    );
  const result = await start({ lookup }).send(claimedFor(`http://two.test:${port()}/`));
  expect(result).toMatchObject({ outcome: 'succeeded', address: '127.0.0.1' });
});

it('host names that do not exist are a failed connection', async () => {
  const nowhere = await start({
    lookup: (_host, _options, done) =>
      done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), ''),
  }).send(claimedFor(`http://nowhere.test:${port()}/`));
  expect(nowhere).toMatchObject({
    outcome: 'connection',
    error: 'The host name does not exist (ENOTFOUND)',
  });
});

it('host names under localhost are loopback without a query', async () => {
  await using names = await startNameServer();
  const sending = start({ nameServers: [names.server] });
  const result = await sending.send(claimedFor(`http://localhost:${port()}/`));
  expect(result.outcome).toBe('succeeded');
  expect(names.asked).toEqual([]);
});
