import { Readable } from 'node:stream';
import { BrotliCompress, Gzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { World } from './harness.ts';

let world: World;
let gateway: string;

beforeAll(async () => {
  world = await World.start();
  gateway = await world.gateway();
});
afterAll(async () => world[Symbol.asyncDispose]());

describe('the documentation', () => {
  it('is an OpenAPI document whose server is the address it was found at', async () => {
    const answer = await fetch(`${gateway}/openapi.json`);
    const document = (await answer.json()) as { openapi: string; servers: { url: string }[]; paths: object };
    expect(document.openapi).toMatch(/^3\.1/);
    expect(document.servers).toEqual([{ url: '/' }]);
    expect(document.paths).toHaveProperty('/v1/signals');
  });

  it('is a page that loads everything from its own origin and may load nothing else', async () => {
    const answer = await fetch(`${gateway}/docs`);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const html = await answer.text();
    const sources = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source ?? '');
    expect(sources).toContain('/docs/scalar.js');
    for (const source of sources) {
      const loaded = await fetch(gateway + source);
      expect(loaded.status).toBe(200);
      await loaded.arrayBuffer();
    }
    expect(html).not.toMatch(/<script>|<style|https?:\/\//);
  });

  it('has the program that the page starts', async () => {
    const program = await (await fetch(`${gateway}/docs/scalar.js`)).text();
    expect(program).toContain('createApiReference');
    expect(await (await fetch(`${gateway}/docs/start.js`)).text()).toContain('Scalar.createApiReference(');
  });

  it('is compressed once, however often and in whatever coding it is asked for', async () => {
    const paths = ['/openapi.json', '/docs', '/docs/start.js', '/docs/scalar.js'];
    const load = async (path: string, coding: string, method = 'GET') => {
      const answer = await fetch(gateway + path, { method, headers: { 'accept-encoding': coding } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-encoding') ?? 'identity').toBe(coding);
      expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(0);
      return { body: await answer.text(), etag: answer.headers.get('etag') };
    };
    const first = await Promise.all(paths.map((path) => load(path, 'identity')));
    const heard = jest.spyOn(Readable.prototype, 'on');
    for (const coding of ['br', 'gzip', 'identity']) {
      expect(await Promise.all(paths.map((path) => load(path, coding)))).toEqual(first);
    }
    await Promise.all(paths.map((path) => load(path, 'br', 'HEAD')));
    const { contexts } = heard.mock;
    heard.mockRestore();
    expect(contexts.some((stream) => stream instanceof BrotliCompress || stream instanceof Gzip)).toBe(false);
  });

  it('is pointed at by the address itself', async () => {
    expect(await (await fetch(`${gateway}/`)).json()).toMatchObject({ data: { documentation: '/docs' } });
  });
});
