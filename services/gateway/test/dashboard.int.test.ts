import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from './harness.ts';

const page = '<!doctype html><title>A page</title>';
const program = 'console.log("a program")';

let world: World;
let gateway: string;
let dir: string;

beforeAll(async () => {
  world = await World.start();
  dir = mkdtempSync(join(tmpdir(), 'sigcast-built-'));
  mkdirSync(join(dir, 'assets'));
  writeFileSync(join(dir, 'index.html'), page);
  writeFileSync(join(dir, 'pages.json'), JSON.stringify(['/home', '/signals', '/webhooks/:id']));
  writeFileSync(join(dir, 'assets', 'index-abc.js'), program);
  writeFileSync(join(dir, 'assets', 'index-abc.js.gz'), gzipSync(program));
  writeFileSync(join(dir, 'built-from.txt'), 'nobody needs to know');
  gateway = await world.gateway({ env: { DASHBOARD_DIR: dir } });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(gateway + path, { headers });

describe('the dashboard', () => {
  it('is one page at each of its paths, and its policy allows our own files only', async () => {
    for (const path of ['/home', '/signals', '/signals?page=2', '/webhooks/wh_1']) {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toBe(page);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy.split(';')).toEqual(
        expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'"]),
      );
      expect(policy).not.toContain('unsafe');
    }
  });

  it('leaves / to a program that accepts JSON alone, which is told where the documentation is', async () => {
    const answer = await get('/', { accept: 'application/json' });
    expect(answer.headers.get('vary')).toContain('Accept');
    expect(await answer.json()).toMatchObject({ success: true, data: { openapi: '/openapi.json' } });
  });

  it('is answered 304 to a browser that has the page', async () => {
    const { headers } = await get('/home');
    const answer = await get('/signals', {
      'if-none-match': headers.get('etag') ?? '',
      // As browsers do; without this header, fetch adds `no-cache`.
      'cache-control': 'max-age=0',
    });
    expect(answer.status).toBe(304);
    expect(await answer.text()).toBe('');
  });

  it('loads files that may be cached for a year, in a coding that the browser accepts', async () => {
    const path = '/assets/index-abc.js';
    const compressed = await get(path, { 'accept-encoding': 'gzip' });
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(compressed.headers.get('vary')).toBe('Accept-Encoding');
    expect(compressed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(await compressed.text()).toBe(program);
    const plain = await get(path, { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe(program);
  });

  it.each([
    '/nowhere',
    '/signals/more/than/that',
    '/assets/other.js',
    '/assets/..%2fpages.json',
    '/pages.json',
    '/built-from.txt',
    '/index.html',
  ])('does not exist at %s', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
  });

  it('answers a browser at an unknown path with 404 and a page that says so', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    for (const path of ['/nowhere', '/record/nowhere', '/signals/more/than/that', '/account/nowhere']) {
      const answer = await get(path, { accept });
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain('This page does not exist');
      expect(answer.headers.get('vary')).toBe('Accept, Accept-Encoding');
      expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'");
    }
    const { status, headers } = await get('/v1/nowhere', { accept });
    expect([status, headers.get('content-type')]).toEqual([401, 'application/json; charset=utf-8']);
  });

  it('leaves the paths of API, account and documentation as they are', async () => {
    const statuses: Record<string, number> = {};
    for (const path of ['/v1/signals', '/v1', '/account', '/docs', '/openapi.json']) {
      const answer = await get(path);
      statuses[path] = answer.status;
      if (path !== '/docs') expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      await answer.arrayBuffer();
    }
    expect(statuses).toEqual({
      '/v1/signals': 401,
      '/v1': 401,
      '/account': 401,
      '/docs': 200,
      '/openapi.json': 200,
    });
  });

  it('allows GET and HEAD only', async () => {
    const answer = await fetch(`${gateway}/home`, { method: 'POST' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
    const head = await fetch(`${gateway}/home`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('must exist in DASHBOARD_DIR, or the gateway does not start', async () => {
    await expect(world.gateway({ env: { DASHBOARD_DIR: join(dir, 'assets') } })).rejects.toThrow(
      /there is no dashboard in .* build it/,
    );
  });
});
