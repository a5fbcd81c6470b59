import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { eventually, openEventSource } from '@sigcast/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ask, freshAddress } from './ask.ts';
import { World } from './harness.ts';
import { head, RawConnection } from './raw-connection.ts';

let world: World;
let gateways: readonly [string, string];
let open: ServerResponse[];

beforeAll(async () => {
  world = await World.start();
  const env = { STALLED_CLIENT_TIMEOUT_MS: '300' };
  gateways = await Promise.all([world.gateway({ env }), world.gateway({ env })]);
});
afterAll(async () => world[Symbol.asyncDispose]());
beforeEach(() => {
  open = [];
  world.upstream.answer = (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write('retry: 1000\nid: pos_1\n\n');
    open.push(res);
  };
});

describe('streams of one account', () => {
  it('are bounded over all gateways, and one that ends makes room', async () => {
    const { key } = await world.customer({ streams: 3 });
    const headers = { authorization: `Bearer ${key}` };
    const [first, second] = gateways;
    const openAt = (gateway: string) => openEventSource(`${gateway}/v1/stream`, headers);
    const streams = await Promise.all([openAt(first), openAt(second), openAt(second)]);
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const gateway of gateways) {
      const refused = await ask(gateway, '/v1/stream', { key });
      expect([refused.status, refused.body.error?.code]).toEqual([409, 'CONFLICT']);
    }
    expect(open).toHaveLength(3);
    const { key: others } = await world.customer({ streams: 3 });
    await using other = await openEventSource(`${first}/v1/stream`, { authorization: `Bearer ${others}` });
    expect(other.status).toBe(200);
    await streams[1]?.close();
    await eventually(async () => {
      await using again = await openAt(first);
      expect(again.status).toBe(200);
    });
    await Promise.all(streams.map((stream) => stream.close()));
  });

  it('are bounded together with those of other accounts from one client address, and one that ends makes room', async () => {
    const gateway = await world.gateway({ env: { STREAM_MAX_PER_ADDRESS: '2' } });
    const address = freshAddress();
    const openFrom = async (from: string) => {
      const { key } = await world.customer({ streams: 3 });
      const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': from };
      return openEventSource(`${gateway}/v1/stream`, headers);
    };
    await using first = await openFrom(address);
    await using second = await openFrom(address);
    expect([first.status, second.status]).toEqual([200, 200]);
    const { key } = await world.customer({ streams: 3 });
    const refused = await ask(gateway, '/v1/stream', { key, address });
    expect([refused.status, refused.body.error?.code]).toEqual([409, 'CONFLICT']);
    expect(refused.body.error?.message).toContain('The client address has 2 streams open');
    await using elsewhere = await openFrom(freshAddress());
    expect(elsewhere.status).toBe(200);
    await first.close();
    await eventually(async () => {
      await using again = await openFrom(address);
      expect(again.status).toBe(200);
    });
  });

  it('use up no slot when the service refuses them', async () => {
    const { key } = await world.customer({ streams: 3 });
    world.upstream.answer = (req, res) => {
      const request_id = req.headers['x-request-id'];
      const error = { code: 'INVALID_REQUEST', message: 'types', request_id };
      res
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ success: false, error }));
    };
    for (let tries = 0; tries < 5; tries += 1) {
      await eventually(async () => {
        expect((await ask(gateways[0], '/v1/stream', { key })).status).toBe(400);
      });
    }
  });
});

/** Asks, and reads nothing of the answer. */
function askAndStall(gateway: string, key: string): Socket {
  const { socket } = new RawConnection(gateway).send(
    head('GET /v1/stream HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`),
  );
  return socket.pause();
}

/** Lets the service write as much as the gateway reads, up to a bound. @returns a function that tells the bytes written so far. */
function writeUpTo(bound: number): () => number {
  const [service] = open;
  const event = `id: 1\ndata: ${'x'.repeat(64_000)}\n\n`;
  let written = 0;
  const write = () => {
    for (let more = true; more && written < bound && service?.writable; written += event.length)
      more = service.write(event);
  };
  service?.on('drain', write);
  write();
  return () => written;
}

describe('a client that reads nothing', () => {
  it('of a stream is disconnected', async () => {
    const { key } = await world.customer({ streams: 3 });
    const socket = askAndStall(gateways[0], key);
    await eventually(() => expect(open).toHaveLength(1));
    const written = writeUpTo(Number.POSITIVE_INFINITY);
    await eventually(() => expect(open[0]?.closed).toBe(true));
    expect(written()).toBeGreaterThan(0);
    socket.destroy();
  });

  it('of a stream makes the service wait, so that the gateway buffers a bounded part', async () => {
    const gateway = await world.gateway();
    const { key } = await world.customer({ streams: 3 });
    const socket = askAndStall(gateway, key);
    await eventually(() => expect(open).toHaveLength(1));
    // More than the system buffers of two connections, 36 MB each at most.
    const bound = 256 * 1024 * 1024;
    const written = writeUpTo(bound);
    await eventually(async () => {
      const before = written();
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(written()).toBe(before);
    });
    expect(written()).toBeLessThan(bound);
    expect(open[0]?.writableNeedDrain).toBe(true);
    socket.destroy();
  });
});
