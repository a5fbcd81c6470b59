import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { promisify } from 'node:util';
import { eventually } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { addressPolicy } from '../src/sending/address-policy.ts';
import { type Sender, type SenderOptions, sender } from '../src/sending/sender.ts';
import { anyPort } from './any-port.ts';
import { claimedFor } from './claimed.ts';
import { hostileHosts } from './hostile-hosts.ts';
import { testSealer } from './test-sealer.ts';

const production = addressPolicy({ allowHttp: false, allowedNetworks: [] });

/** A server inside, with the number of connections to it. */
let inside: { readonly port: number; connections: number; close(): Promise<unknown> };
const senders: Sender[] = [];
beforeAll(async () => {
  inside = await listen('127.0.0.1');
});
afterEach(() => expect(inside.connections).toBe(0));
afterAll(async () => {
  for (const { close } of senders) await close();
  await inside.close();
});

async function listen(
  address: string,
  answer: (path: string) => [status: number, location?: string] = () => [200],
) {
  const server = createServer((request, response) => {
    const [status, location] = answer(request.url ?? '');
    response.writeHead(status, location ? { location } : {}).end();
  });
  const listening = {
    port: 0,
    connections: 0,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
  server.on('connection', () => {
    listening.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  listening.port = (server.address() as AddressInfo).port;
  return listening;
}

function start(options: Partial<SenderOptions>): Sender {
  // No name server is queried: names without an answer here do not exist.
  const lookup: SenderOptions['lookup'] = (host, _options, done) =>
    /^(localhost|.*\.localhost)\.?$/.test(host)
      ? done(null, [{ address: '127.0.0.1', family: 4 }])
      : done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), '');
  const made = sender({
    policy: production,
    secrets: testSealer,
    now: Date.now,
    lookup,
    timeoutMs: 2_000,
    ...options,
  });
  senders.push(made);
  return made;
}

it('the list of hosts that lead inside has at least 150 forms', () => {
  expect(new Set(hostileHosts).size).toBeGreaterThanOrEqual(150);
});

it.each(hostileHosts)('a host that leads inside is refused as a callback address: %s', (host) => {
  // The ports are permitted, so the host is what is refused.
  for (const url of [`https://${host}/`, `https://${host}:8443/x`]) {
    expect(production.checkUrl(url)).toEqual(expect.stringMatching(/^must (?!use port)/));
  }
});

it('an attempt connects to no host that leads inside, whatever its form in the stored address', async () => {
  const sending = start({});
  for (const host of hostileHosts) {
    const result = await sending.send(claimedFor(`https://${host}:${inside.port}/`));
    expect([host, result.outcome]).toEqual([host, 'refused_address']);
    expect([host, result.error]).not.toEqual([host, expect.stringContaining('port')]);
  }
});

it('an attempt connects to no host that leads inside even when the text of the address is not checked', async () => {
  const blind = { checkUrl: () => undefined, allows: production.allows };
  const sending = start({ policy: blind });
  for (const host of hostileHosts) {
    const result = await sending.send(claimedFor(`http://${host}:${inside.port}/`));
    if (result.outcome === 'refused_address') continue;
    // Text that is no host, and names that do not exist, fail before the policy could refuse them. No other error is right:
    // a refused or broken connection was attempted.
    expect([host, result.error]).toEqual([
      host,
      expect.stringMatching(/\(ENOTFOUND\)$|^The address is no URL$/),
    ]);
  }
});

/** Stands for the public internet: the one loopback address that the policy lets through. */
const outside = '127.0.0.2';
const policy = addressPolicy({ allowHttp: true, allowedNetworks: [`${outside}/32`], ports: anyPort });

it('a permitted address is checked again whenever its name resolves to another IP address', async () => {
  const receiver = await listen(outside);
  const answers = [
    [outside],
    ['127.0.0.1'],
    ['127.0.0.1', '::1'],
    ['::ffff:127.0.0.1'],
    ['127.0.0.1', outside],
  ];
  let asked = 0;
  const sending = start({
    policy,
    limits: { maxLifeMs: 0 },
    lookup: (_host, _options, done) => {
      const found = answers[asked++] ?? [];
      done(
        null,
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    },
  });
  const outcomes: string[] = [];
  for (const _ of answers) {
    // The port is that of the listener inside wherever the name leads there.
    const port = answers[asked]?.includes(outside) ? receiver.port : inside.port;
    outcomes.push((await sending.send(claimedFor(`http://rebound.test:${port}/`))).outcome);
  }
  expect(outcomes).toEqual([
    'succeeded',
    'refused_address',
    'refused_address',
    'refused_address',
    'succeeded',
  ]);
  expect(asked).toBe(answers.length);
  expect(receiver.connections).toBe(2);
  await receiver.close();
});

it('a name that leads to a port of the system itself is sent nothing', async () => {
  const ownPorts = [{ first: inside.port, last: inside.port }];
  const sending = start({
    policy: addressPolicy({
      allowHttp: true,
      allowedNetworks: ['127.0.0.0/8'],
      ports: anyPort,
      ownPorts,
    }),
    lookup: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  const result = await sending.send(claimedFor(`http://hooks.sigcast.io:${inside.port}/`));
  expect(result).toMatchObject({ outcome: 'refused_address', address: null });
});

it('a permitted address is sent nothing when its connection leads to a peer that is not permitted', async () => {
  await using scope = new AsyncDisposableStack();
  // Linux takes 0.0.0.0 for this machine: the peer is 127.0.0.1.
  const aimed = addressPolicy({ allowHttp: true, allowedNetworks: ['0.0.0.0/32'], ports: anyPort });
  const received: Buffer[] = [];
  let [connections, open] = [0, 0];
  const elsewhere = createTcpServer((socket) => {
    connections += 1;
    open += 1;
    socket
      .on('data', (chunk) => received.push(chunk))
      .on('error', () => undefined)
      .on('close', () => {
        open -= 1;
      });
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  scope.defer(() => new Promise((resolve) => elsewhere.close(() => resolve())));
  const { port } = elsewhere.address() as AddressInfo;
  const result = await start({ policy: aimed }).send(claimedFor(`http://0.0.0.0:${port}/`));
  expect(result).toMatchObject({ outcome: 'refused_address', address: null });
  await eventually(() => expect(connections).toBe(1));
  await eventually(() => expect(open).toBe(0));
  expect(received).toEqual([]);
});

it('a permitted address is reached directly, whatever proxy the environment names', async () => {
  await using scope = new AsyncDisposableStack();
  const receiver = await listen('127.0.0.1');
  scope.defer(async () => {
    await receiver.close();
  });
  const proxy = `http://127.0.0.1:${inside.port}`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      new URL('fixtures/send-once.ts', import.meta.url).pathname,
      `http://127.0.0.1:${receiver.port}/`,
    ],
    { env: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, http_proxy: proxy, ALL_PROXY: proxy } },
  );
  expect(stdout).toBe('succeeded');
  expect(receiver.connections).toBe(1);
});

it.each([301, 302, 303, 307, 308])(
  'a permitted address cannot redirect a request to an address inside (%s)',
  async (status) => {
    const receiver = await listen(outside, () => [status, `http://127.0.0.1:${inside.port}/`]);
    const result = await start({ policy }).send(claimedFor(`http://${outside}:${receiver.port}/`));
    expect(result).toMatchObject({ outcome: 'bad_status', http_status: status });
    await receiver.close();
  },
);
