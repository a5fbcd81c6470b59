import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { eventually } from '@sigcast/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  nodeWebhookHandler,
  signWebhook,
  type WebhookDelivery,
  type WebhookHandlerOptions,
  webhookHandler,
} from '../src/index.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = JSON.stringify({ event: 'signal.new', data: { id: 'sig_1' } });

let handled: { event: string; delivery: WebhookDelivery }[];
let errors: unknown[];
let options: WebhookHandlerOptions;
let failing: Error | undefined;

beforeEach(() => {
  [handled, errors, failing] = [[], [], undefined];
  options = {
    secret,
    handle: async ({ event }, delivery) => {
      if (failing) throw failing;
      handled.push({ event, delivery });
    },
    onError: (error) => errors.push(error),
  };
});

/** Makes a server with each kind of handler. */
const kinds = {
  'a handler of fetch’s requests': () => {
    const receive = webhookHandler(options);
    return createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const headers = new Headers(request.headers as Record<string, string>);
      const method = request.method ?? '';
      const sent = method === 'GET' ? {} : { body: Buffer.concat(chunks) };
      const answer = await receive(new Request('http://here/', { method, headers, ...sent }));
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    });
  },
  'a handler of Node’s requests': () => createServer(nodeWebhookHandler(options)),
};

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function start(make: () => Server): Promise<string> {
  server = make().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.each(Object.entries(kinds))('%s', (_, make) => {
  it('passes the events of a batch on in their order, each with its own id', async () => {
    const url = await start(make);
    const batch = JSON.stringify([
      { id: 'evt_1', event: 'signal.new' },
      { id: 'evt_2', event: 'signal.dead' },
    ]);
    const headers = await signWebhook(batch, { id: 'bat_1' }, secret);
    const { status } = await fetch(url, { method: 'POST', body: batch, headers });
    const events = handled.map(({ event, delivery }) => [event, delivery.id]);
    expect({ status, events }).toEqual({
      status: 200,
      events: [
        ['signal.new', 'evt_1'],
        ['signal.dead', 'evt_2'],
      ],
    });
  });

  it('passes a genuine delivery on with its id and attempt, and answers 200', async () => {
    const url = await start(make);
    const headers = { ...(await signWebhook(body, { id: 'evt_1' }, secret)), 'webhook-attempt': '3' };
    const { status } = await fetch(url, { method: 'POST', body, headers });
    expect({ status, handled }).toEqual({
      status: 200,
      handled: [{ event: 'signal.new', delivery: { id: 'evt_1', attempt: 3 } }],
    });
  });

  it('answers 400 with the reason when a delivery is not genuine, and does not pass it on', async () => {
    const url = await start(make);
    const signed = await signWebhook(body, { id: 'evt_1' }, secret);
    const other = await signWebhook(body, { id: 'evt_1' }, `whsec_${'A'.repeat(32)}`);
    const send = async (sent: string, headers: Record<string, string>) => {
      const response = await fetch(url, { method: 'POST', body: sent, headers });
      return [response.status, await response.text()];
    };
    expect(await send(`${body} `, signed)).toEqual([400, 'no_matching_signature']);
    expect(await send(body, other)).toEqual([400, 'no_matching_signature']);
    expect(await send(body, {})).toEqual([400, 'missing_header']);
    expect(await send('', signed)).toEqual([400, 'no_matching_signature']);
    expect({ handled, errors }).toEqual({ handled: [], errors: [] });
  });

  it('answers 500 when handle throws, calls onError, and accepts the delivery when it comes again', async () => {
    const url = await start(make);
    failing = new Error('the database is away');
    const send = async () => {
      const headers = await signWebhook(body, { id: 'evt_1' }, secret);
      return (await fetch(url, { method: 'POST', body, headers })).status;
    };
    expect(await send()).toBe(500);
    expect(errors).toEqual([failing]);
    failing = undefined;
    expect(await send()).toBe(200);
    expect(handled).toHaveLength(1);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no log');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no log'))],
  ])('answers 500 and logs to the console when onError %s', async (_name, onError) => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    try {
      options = { ...options, onError };
      const url = await start(make);
      failing = new Error('the database is away');
      const headers = await signWebhook(body, { id: 'evt_1' }, secret);
      expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(500);
      expect(told).toHaveBeenCalledWith(failing, expect.objectContaining({ message: 'no log' }));
    } finally {
      told.mockRestore();
    }
  });

  it.each([undefined, '', 'whsec_', 'whsec_none!', [], [secret, '']])(
    'can’t be made with the secret %j, and the error says what a secret is',
    (wrong) => {
      options = { ...options, secret: wrong as string };
      expect(make).toThrow(new TypeError('A secret must be whsec_ and base64, as the API showed it'));
    },
  );

  it('answers 405 to another method, and 413 to a body that is too large', async () => {
    const url = await start(make);
    const got = await fetch(url);
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
    const large = fetch(url, { method: 'POST', body: 'x'.repeat(2_000_000) });
    const status = await large.then((response) => response.status).catch(() => 413);
    expect(status).toBe(413);
    expect(handled).toEqual([]);
  });
});

describe('a handler of fetch’s requests', () => {
  it.each([
    ['read', async (request: Request) => void (await request.text())],
    ['locked', async (request: Request) => void request.body?.getReader()],
  ])('answers 500 when the body was %s before, and says what is wrong', async (_name, before) => {
    const headers = await signWebhook(body, { id: 'evt_1' }, secret);
    const request = new Request('http://here/', { method: 'POST', headers, body });
    await before(request);
    expect((await webhookHandler(options)(request)).status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('was read before') }),
    ]);
  });
});

describe('a handler of Node’s requests', () => {
  it('answers 500 when the body was read before, and says what is wrong', async () => {
    const receive = nodeWebhookHandler(options);
    const url = await start(() =>
      createServer(async (request, response) => {
        request.resume();
        await once(request, 'end');
        await receive(request, response);
      }),
    );
    const headers = await signWebhook(body, { id: 'evt_1' }, secret);
    expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('was read before') }),
    ]);
  });

  it('does not change an answer that something else has sent', async () => {
    const receive = nodeWebhookHandler(options);
    const results: unknown[] = [];
    const url = await start(() =>
      createServer((request, response) => {
        response.writeHead(202).end();
        receive(request, response).then(
          () => results.push('done'),
          (error: unknown) => results.push(error),
        );
      }),
    );
    const headers = await signWebhook(body, { id: 'evt_1' }, secret);
    expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(202);
    await eventually(() => expect(results).toEqual(['done']));
  });

  it('answers 400 when the body is cut off, and goes on serving', async () => {
    const url = new URL(await start(kinds['a handler of Node’s requests']));
    const head = 'POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\nhalf';
    const cut = connect(Number(url.port), '127.0.0.1');
    cut.end(head);
    const [answer] = (await once(cut, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 400 /);
    const broken = connect(Number(url.port), '127.0.0.1');
    broken.write(head, () => broken.resetAndDestroy());
    await once(broken, 'close');
    await eventually(async () => expect((await fetch(url)).status).toBe(405));
    expect(errors).toEqual([]);
  });

  it('accepts the bytes or text of a body read before, and says what is wrong with parsed JSON', async () => {
    const receive = nodeWebhookHandler(options);
    const headers = await signWebhook(body, { id: 'evt_1' }, secret);
    const statusFor = async (read: unknown) => {
      let status = 0;
      const response = { writeHead: (code: number) => ({ end: () => (status = code) }) };
      const unread = (async function* () {})();
      await receive(Object.assign(unread, { method: 'POST', headers, body: read }), response);
      return status;
    };
    expect(await statusFor(Buffer.from(body))).toBe(200);
    expect(await statusFor(body)).toBe(200);
    expect(await statusFor(JSON.parse(body))).toBe(500);
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('express.json()') })]);
  });
});
