import { readdirSync } from 'node:fs';
import {
  backtestResultSchema,
  createBacktestSchema,
  createdWebhookSchema,
  createWebhookSchema,
  deliveryAttemptSchema,
  errorStatus,
  failureSchema,
  listMetaSchema,
  sentEventTypes,
  signalStatuses,
  signalTypes,
  webhookPayloadSchema,
} from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { openGuides, pageNames } from '../src/index.ts';

const guides = openGuides('https://api.example.com');
const texts = new Map(guides.texts.map(({ path, content }) => [path, content()]));
const pages = guides.texts
  .filter(({ type }) => type.startsWith('text/html'))
  .map(({ path, content }) => [path, content()] as const);

const markdown = (name: string) => texts.get(`/docs/${name}.md`) ?? '';

/** What is in the first column of the tables of a page, without its backquotes. */
function firstColumn(name: string): string[] {
  return [...markdown(name).matchAll(/^\| `([^`|]+)`\s*\|/gm)].map(([, cell]) => cell ?? '');
}

/** Ids of a page's elements. */
function idsOf(path: string): string[] {
  return [...(texts.get(path) ?? '').matchAll(/ id="([^"]+)"/g)].map(([, id]) => id ?? '');
}

describe('the documentation says what the contracts say:', () => {
  it('the errors page has an anchor for each code, with the status of the code, and no other', () => {
    const sections = [...markdown('errors').matchAll(/^## ([A-Z_]+)\n\nStatus (\d+)\./gm)];
    expect(Object.fromEntries(sections.map(([, code, status]) => [code, Number(status)]))).toEqual(
      errorStatus,
    );
    const anchors = idsOf('/docs/errors').filter((id) => /^[A-Z_]+$/.test(id));
    expect(anchors).toEqual(Object.keys(errorStatus));
  });

  it('the webhooks page lists every event that is ever sent', () => {
    const events = firstColumn('webhooks').filter((cell) => /^(signal|webhook)\./.test(cell));
    expect(events).toEqual([...sentEventTypes]);
  });

  it('troubleshooting explains every outcome of an attempt', () => {
    expect(firstColumn('troubleshooting').sort()).toEqual(
      [...deliveryAttemptSchema.shape.outcome.options].sort(),
    );
  });

  it('the backtests page lists every member of a request and of a result', () => {
    const { filters, costs, ...terms } = createBacktestSchema.shape;
    const inner = { filters: filters.shape, costs: costs.unwrap().shape };
    const nested = Object.entries(inner).flatMap(([name, shape]) =>
      Object.keys(shape).map((member) => `${name}.${member}`),
    );
    const members = [...nested, ...Object.keys(terms), ...Object.keys(backtestResultSchema.shape)];
    expect(firstColumn('backtests').sort()).toEqual(members.sort());
  });

  it('filters name every type and status of a signal', () => {
    for (const value of [...signalTypes, ...signalStatuses]) {
      expect(markdown('pagination')).toContain(`\`${value}\``);
    }
  });

  it('every JSON sample is one that the API could send or take', () => {
    const samples = pageNames.flatMap((name) =>
      [...markdown(name).matchAll(/^```json\n(.*?)^```/gms)].map(
        ([, json = '']) => JSON.parse(json) as object,
      ),
    );
    expect(samples.length).toBeGreaterThan(2);
    for (const sample of samples) {
      const schema = [
        failureSchema,
        webhookPayloadSchema,
        listMetaSchema,
        createdWebhookSchema,
        createWebhookSchema,
      ].find((one) => one.safeParse(sample).success);
      expect([sample, schema !== undefined]).toEqual([sample, true]);
    }
  });
});

describe('every page', () => {
  it('is in the site map, and every page of the site map exists', () => {
    const files = readdirSync(new URL('../src/pages/', import.meta.url));
    expect(files.sort()).toEqual(pageNames.map((name) => `${name}.md`).sort());
  });

  it.each(pages)(
    '%s has one first heading, a title, a language, and ids that are there once',
    (path, html) => {
      expect(html.match(/<h1>/g)).toHaveLength(1);
      expect(html).toMatch(/<title>[^<]+<\/title>/);
      expect(html).toContain('<html lang="en">');
      const ids = idsOf(path);
      expect(ids).toEqual([...new Set(ids)]);
    },
  );

  it.each(pages)('%s has no script or style of its own and loads nothing from elsewhere', (_path, html) => {
    expect(html).not.toMatch(/<script>|<style|\sstyle="|\son[a-z]+="/);
    const loaded = [
      ...html.matchAll(/<(?:script|img|link rel="(?:icon|stylesheet)")[^>]* (?:src|href)="([^"]+)"/g),
    ];
    expect(loaded.length).toBeGreaterThan(2);
    const assets = guides.assets.map(({ path }) => path);
    for (const [, source = ''] of loaded) expect(assets).toContain(source);
  });

  it.each(pages)('%s links only to what is there', (path, html) => {
    for (const [, href = ''] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      const [target = '', fragment] = href.split('#');
      const page = target || path;
      expect([href, isKnown(page)]).toEqual([href, true]);
      if (fragment !== undefined) expect([href, idsOf(page).includes(fragment)]).toEqual([href, true]);
    }
  });

  it('is listed in llms.txt, as Markdown, with what it is about', () => {
    const list = texts.get('/llms.txt') ?? '';
    for (const name of pageNames)
      expect(list).toMatch(new RegExp(`\\]\\(/docs/${name}\\.md\\): [A-Z@\`].+\\.`));
    expect(list).not.toContain('undefined');
  });

  it('names the public address where samples need one', () => {
    expect(markdown('quick-start')).toContain('export SIGCAST_URL=https://api.example.com\n');
    expect(
      openGuides()
        .texts.map(({ content }) => content())
        .join(),
    ).not.toContain('{server}');
  });
});

/** Other pages of the gateway and the dashboard, and the few places elsewhere. */
const others = new Set([
  ...[
    '/',
    '/home',
    '/openapi.json',
    '/sign-up',
    '/profile/api',
    '/profile/audit',
    '/webhooks',
    '/usage',
    '/requests',
  ],
  ...['/record', '/record.json', '/home'],
  ...['https://www.standardwebhooks.com', 'https://semver.org'],
]);

function isKnown(path: string): boolean {
  return texts.has(path) || others.has(path);
}
