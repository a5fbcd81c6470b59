import { Readable } from 'node:stream';
import { BrotliCompress, Gzip } from 'node:zlib';
import { pageNames } from '@sigcast/guides';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { World } from './harness.ts';

let world: World;
let gateway: string;

beforeAll(async () => {
  world = await World.start();
  gateway = await world.gateway();
});
afterAll(async () => world[Symbol.asyncDispose]());

const pagePaths = [
  ...pageNames.map((name) => (name === 'index' ? '/docs' : `/docs/${name}`)),
  '/docs/reference',
  '/docs/reference/api-keys',
];

/** The paths of the assets that a page loads. */
async function loadedBy(path: string): Promise<string[]> {
  const html = await (await fetch(gateway + path)).text();
  return [...html.matchAll(/(?:src|href|content)="(\/docs\/assets\/[^"]+)"/g)].map(
    ([, source]) => source ?? '',
  );
}

describe('the documentation', () => {
  it('is a page for each subject, and its policy allows our own files only', async () => {
    for (const path of pagePaths) {
      const answer = await fetch(gateway + path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy.split(';')).toEqual(
        expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'"]),
      );
      expect(policy).not.toContain('unsafe');
      expect(await answer.text()).toContain('<h1>');
    }
  });

  it('has each page as Markdown, and /llms.txt lists them all', async () => {
    const list = await fetch(`${gateway}/llms.txt`);
    expect(list.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const listed = [...(await list.text()).matchAll(/\]\((\/docs\/[^)]+\.md)\)/g)].map(([, path]) => path);
    expect(listed.sort()).toEqual(pageNames.map((name) => `/docs/${name}.md`).sort());
    for (const path of listed) {
      const answer = await fetch(`${gateway}${path}`);
      expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      expect(await answer.text()).toMatch(/^# /);
    }
  });

  it('loads files that may be cached for a year, because their names contain a hash', async () => {
    const loaded = new Set([...(await loadedBy('/docs')), ...(await loadedBy('/docs/reference'))]);
    expect(loaded.size).toBe(8);
    for (const path of loaded) {
      expect(path).toMatch(/-[0-9a-f]{12}\.(css|js|png|svg|woff2)$/);
      const answer = await fetch(gateway + path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      await answer.arrayBuffer();
    }
  });

  it('names PUBLIC_URL in its samples', async () => {
    const named = await world.gateway({ env: { PUBLIC_URL: 'https://api.example.com' } });
    const page = await (await fetch(`${named}/docs/quick-start.md`)).text();
    expect(page).toContain('export SIGCAST_URL=https://api.example.com\n');
  });

  it('answers 404 at all other paths below /docs: a page with a search to browsers, the usual error to programs', async () => {
    for (const path of [
      '/docs/nowhere',
      '/docs/pages/errors.md',
      '/docs/assets/docs.css',
      '/docs/..%2findex.ts',
    ]) {
      const answer = await fetch(gateway + path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
      const page = await fetch(gateway + path, { headers: { accept: 'text/html,*/*;q=0.8' } });
      expect([path, page.status]).toEqual([path, 404]);
      expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
      expect(await page.text()).toContain('Search the documentation');
    }
  });

  it('is listed for programs: all texts in one file, all addresses in a site map', async () => {
    const named = await world.gateway({ env: { PUBLIC_URL: 'https://api.example.com' } });
    const full = await (await fetch(`${named}/llms-full.txt`)).text();
    expect(await (await fetch(`${named}/robots.txt`)).text()).toContain(
      'Sitemap: https://api.example.com/sitemap.xml',
    );
    const map = await (await fetch(`${named}/sitemap.xml`)).text();
    for (const name of pageNames) {
      expect(full).toContain(await (await fetch(`${named}/docs/${name}.md`)).text());
    }
    for (const path of ['/record', ...pagePaths]) {
      expect(map).toContain(`<loc>https://api.example.com${path}</loc>`);
    }
  });

  it('is named by / where there is no dashboard', async () => {
    expect(await (await fetch(`${gateway}/`)).json()).toMatchObject({ data: { documentation: '/docs' } });
  });
});

describe('the reference', () => {
  it('is an OpenAPI 3.1 document whose server is the address at which it is served', async () => {
    const answer = await fetch(`${gateway}/openapi.json`);
    const document = (await answer.json()) as { openapi: string; servers: { url: string }[]; paths: object };
    expect(document.openapi).toMatch(/^3\.1/);
    expect(document.servers).toEqual([{ url: '/' }]);
    expect(document.paths).toHaveProperty('/v1/signals');
  });

  it('is pages that need no script, with each operation and a sample of it', async () => {
    const { paths } = (await (await fetch(`${gateway}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
    };
    for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
      const page = operation.tags.join().toLowerCase().replaceAll(' ', '-');
      const html = await (await fetch(`${gateway}/docs/reference/${page}`)).text();
      const [, section = ''] = html.split(`<h2 id="${operation.operationId}">`);
      const [shown] = section.split('</section>');
      expect(shown).toContain('curl');
      expect(shown).toContain('/docs/errors#INVALID_REQUEST');
    }
  });
});

describe('every file of the documentation', () => {
  it('is compressed once, at the first request, for all later requests in every coding', async () => {
    const assets = await loadedBy('/docs/reference');
    const paths = [
      ...['/openapi.json', '/docs', '/docs/errors.md', '/docs/reference', '/docs/search.json', '/llms.txt'],
      ...assets,
    ];
    const load = async (path: string, coding: string, method = 'GET') => {
      const answer = await fetch(gateway + path, { method, headers: { 'accept-encoding': coding } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-encoding') ?? 'identity').toBe(coding);
      expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(0);
      return { body: await answer.text(), etag: answer.headers.get('etag') };
    };
    const first = await Promise.all(paths.map((path) => load(path, 'identity')));
    const heard = vi.spyOn(Readable.prototype, 'on');
    for (const coding of ['br', 'gzip', 'identity']) {
      expect(await Promise.all(paths.map((path) => load(path, coding)))).toEqual(first);
    }
    await Promise.all(paths.map((path) => load(path, 'br', 'HEAD')));
    const { contexts } = heard.mock;
    heard.mockRestore();
    expect(contexts.some((stream) => stream instanceof BrotliCompress || stream instanceof Gzip)).toBe(false);
  });
});
