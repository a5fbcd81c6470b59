import type { ServerResponse } from 'node:http';
import { eventually, openEventSource } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from './harness.ts';

let world: World;
let gateway: string;
let open: ServerResponse[];

beforeAll(async () => {
  world = await World.start();
  gateway = await world.gateway({ env: { UPSTREAM_HEADERS_TIMEOUT_MS: '2000' } });
  world.upstream.answer = (_req, res) => {
    res.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    res.write('retry: 1000\nid: pos_1\n\n');
    open.push(res);
  };
  open = [];
});
afterAll(async () => world[Symbol.asyncDispose]());

describe('a stream through the gateway', () => {
  it('arrives event by event, counts as one request, and has rate-limit headers', async () => {
    const { key } = await world.customer({ perMinute: 60 });
    await using stream = await openEventSource(`${gateway}/v1/stream?events=signal.new`, {
      authorization: `Bearer ${key}`,
      'last-event-id': 'pos_1',
    });
    expect(stream.status).toBe(200);
    expect(stream.headers.get('x-ratelimit-remaining')).toBe('59');
    expect(stream.headers.get('cache-control')).toBe('no-cache');
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    expect(world.upstream.requests.at(-1)).toMatchObject({
      url: '/v1/stream?events=signal.new',
      headers: { 'last-event-id': 'pos_1' },
    });
    for (const n of [1, 2, 3]) {
      open.at(-1)?.write(`id: ${n}\nevent: signal.new\ndata: {}\n\n`);
      await eventually(() => expect(stream.events).toHaveLength(n));
    }
    open.at(-1)?.end();
    expect(await stream.over).toBe('ended');
    const next = await fetch(`${gateway}/v1/signals`, { headers: { authorization: `Bearer ${key}` } });
    expect(next.headers.get('x-ratelimit-remaining')).toBe('58');
  });

  it('ends at the service when the client goes away, and breaks at the client when the service breaks off', async () => {
    const { key } = await world.customer();
    const headers = { authorization: `Bearer ${key}` };
    const left = await openEventSource(`${gateway}/v1/stream`, headers);
    const [before] = open.slice(-1);
    await left.close();
    await eventually(() => expect(before?.closed).toBe(true));
    await using cut = await openEventSource(`${gateway}/v1/stream`, headers);
    open.at(-1)?.destroy();
    expect(await cut.over).toBe('broken');
  });

  it('ends with a complete answer when the gateway stops, so that its client reconnects elsewhere', async () => {
    const { key } = await world.customer();
    await using stream = await openEventSource(`${gateway}/v1/stream`, { authorization: `Bearer ${key}` });
    const service = open.at(-1);
    service?.write('id: 1\nevent: signal.new\ndata: {}\n\n');
    await eventually(() => expect(stream.events).toHaveLength(1));
    world.endStreams(gateway);
    expect(await stream.over).toBe('ended');
    await eventually(() => expect(service?.closed).toBe(true));
  });

  it('delays no other request to the service, however many streams are open', async () => {
    // A new gateway: one that has ended its streams also ends each later one.
    const gateway = await world.gateway({
      env: { STREAM_MAX_PER_ADDRESS: '1000' },
    });
    const { key } = await world.customer({ perMinute: 100_000, perDay: 100_000, streams: 1_000 });
    const headers = { authorization: `Bearer ${key}` };
    // More than the connections for other requests.
    const streams = await Promise.all(
      Array.from({ length: 520 }, () => openEventSource(`${gateway}/v1/stream`, headers)),
    );
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    world.upstream.answer = (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true,"data":[]}');
    };
    const other = await fetch(`${gateway}/v1/webhooks`, { headers });
    expect(other.status).toBe(200);
    expect(open.filter((stream) => !stream.closed).length).toBeGreaterThanOrEqual(520);
    await Promise.all(streams.map((stream) => stream.close()));
  }, 90_000);
});
