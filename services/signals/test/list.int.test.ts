import {
  type ListMeta,
  listSchema,
  type SignalListItem,
  type SignalStatus,
  signalListItemSchema,
  signalStatuses,
  signalTypes,
  toListItem,
} from '@sigcast/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  detailOf,
  openModel,
  openService,
  openStack,
  refusedFields,
  type Service,
  testIdentities,
} from './fixture.ts';
import { sampleBody } from './samples.ts';

const startMs = Date.parse('2026-02-01T00:00:00Z');
const hourMs = 3_600_000;
const count = 120;
/** Some differ in case alone, or in Unicode normalization. */
const chains = ['solana', 'base', undefined];
const symbols = ['WIF', 'wif', 'Wif', 'ÉCU', 'e\u0301cu', 'WIFE', '$AI+', 'strasse', 'straße'];

/** Newest first, then the highest id first. */
const newestFirst = (a: SignalListItem, b: SignalListItem) =>
  b.created_at.localeCompare(a.created_at) || (b.id < a.id ? -1 : 1);

describe('the list', () => {
  const { stack, resources, close } = openStack();
  let service: Service;
  let all: SignalListItem[];

  const create = async (n: number): Promise<SignalListItem> => {
    // Three at each instant, so that the order within an instant counts.
    const created_at = new Date(startMs + Math.floor(n / 3) * hourMs).toISOString();
    const type = signalTypes[n % signalTypes.length] ?? 'new';
    const created = detailOf(
      await service.api.post(
        sampleBody({
          type,
          created_at,
          mcap_current: 100_000 + n,
          symbol: symbols[n % symbols.length] ?? '',
          contract: `0xAb${n % 10}`,
          chain: chains[n % chains.length],
        }),
      ),
    );
    const status: SignalStatus = signalStatuses[n % 7] ?? 'active';
    return toListItem(
      status === 'active' ? created : detailOf(await service.api.patch(created.id, { status })),
    );
  };

  beforeAll(async () => {
    service = openService({ model: await openModel(stack, resources), identities: testIdentities() });
    all = (await Promise.all(Array.from({ length: count }, (_, n) => create(n)))).sort(newestFirst);
  });
  afterAll(close);

  const read = async (query: string): Promise<{ data: SignalListItem[]; meta: ListMeta }> => {
    const response = await service.api.get(`/v1/signals?${query}`);
    if (response.status !== 200) throw new Error(response.text);
    return listSchema(signalListItemSchema).parse(response.body);
  };

  /** Follows `next_cursor` from the first page to the last. */
  const walk = async (query: string, between: () => Promise<unknown> = async () => undefined) => {
    const pages = [await read(query)];
    for (let cursor = pages[0]?.meta.next_cursor; cursor; cursor = pages.at(-1)?.meta.next_cursor) {
      await between();
      pages.push(await read(`${query}&cursor=${cursor}`));
    }
    return pages;
  };

  it('a page has 20 signals, newest first, with exactly the fields of a list item', async () => {
    const { data, meta } = await read('');
    expect(data).toEqual(all.slice(0, 20));
    expect(meta).toEqual({
      total: count,
      page: 1,
      per_page: 20,
      total_pages: 6,
      next_cursor: expect.any(String),
    });
  });

  it.each([
    ['type=wallet', (s: SignalListItem) => s.type === 'wallet'],
    ['type=wallet,new', (s: SignalListItem) => s.type === 'wallet' || s.type === 'new'],
    ['status=winner', (s: SignalListItem) => s.performance.status === 'winner'],
    ['status=dead,rugged', (s: SignalListItem) => ['dead', 'rugged'].includes(s.performance.status)],
    ['type=3d&status=active', (s: SignalListItem) => s.type === '3d' && s.performance.status === 'active'],
    [
      'type=3d,7d&status=active,dead&since=2026-02-01T12:00:00%2B02:00',
      (s: SignalListItem) =>
        ['3d', '7d'].includes(s.type) &&
        ['active', 'dead'].includes(s.performance.status) &&
        s.created_at > '2026-02-01T10:00:00.000Z',
    ],
    ['since=2026-02-02T00:00:00Z', (s: SignalListItem) => s.created_at > '2026-02-02T00:00:00.000Z'],
    ['since=2026-02-02', (s: SignalListItem) => s.created_at > '2026-02-02T00:00:00.000Z'],
    ['since=2030-01-01', () => false],
    ['until=2026-02-02T03:00:00Z', (s: SignalListItem) => s.created_at <= '2026-02-02T03:00:00.000Z'],
    ['until=2026-02-02', (s: SignalListItem) => s.created_at <= '2026-02-02T00:00:00.000Z'],
    ['until=2026-02-01T23:59:59.999Z', (s: SignalListItem) => s.created_at < '2026-02-02T00:00:00.000Z'],
    [
      'since=2026-02-01T05:00:00Z&until=2026-02-01T09:00:00Z&status=active,dead',
      (s: SignalListItem) =>
        ['active', 'dead'].includes(s.performance.status) &&
        s.created_at > '2026-02-01T05:00:00.000Z' &&
        s.created_at <= '2026-02-01T09:00:00.000Z',
    ],
    ['since=2026-02-02&until=2026-02-01', () => false],
    ['symbol=wIf', (s: SignalListItem) => /^wif$/i.test(s.token.symbol)],
    ['symbol=%C3%A9cu', (s: SignalListItem) => ['ÉCU', 'e\u0301cu'].includes(s.token.symbol)],
    ['symbol=%24ai%2B', (s: SignalListItem) => s.token.symbol === '$AI+'],
    ['symbol=STRASSE', (s: SignalListItem) => s.token.symbol === 'strasse'],
    ['symbol=STRAßE', (s: SignalListItem) => s.token.symbol === 'straße'],
    ['symbol=WI', () => false],
    ['symbol=.*', () => false],
    ['contract=0xAb3', (s: SignalListItem) => s.token.contract === '0xAb3'],
    ['contract=0XAB3', (s: SignalListItem) => s.token.contract === '0xAb3'],
    ['chain=base', (s: SignalListItem) => s.token.chain === 'base'],
    [
      'chain=solana&type=new&symbol=wif',
      (s: SignalListItem) => s.token.chain === 'solana' && s.type === 'new' && /^wif$/i.test(s.token.symbol),
    ],
    [
      'symbol=WIF&contract=0xAb0,&type=new',
      () => false, // a comma is part of a name here
    ],
    [
      'symbol=wif&contract=0xAb0',
      (s: SignalListItem) => s.token.contract === '0xAb0' && /^wif$/i.test(s.token.symbol),
    ],
    [
      'symbol=WIF&type=new,wallet&status=active,winner&since=2026-02-01T04:00:00Z&until=2026-02-02',
      (s: SignalListItem) =>
        /^wif$/i.test(s.token.symbol) &&
        ['new', 'wallet'].includes(s.type) &&
        ['active', 'winner'].includes(s.performance.status) &&
        s.created_at > '2026-02-01T04:00:00.000Z' &&
        s.created_at <= '2026-02-02T00:00:00.000Z',
    ],
  ])('a list filtered by %s has all matches, in order, and the exact total', async (query, matches) => {
    const expected = all.filter(matches);
    const { data, meta } = await read(`${query}&limit=100`);
    expect(data).toEqual(expected.slice(0, 100));
    expect(meta.total).toBe(expected.length);
  });

  it.each([
    'limit=7',
    'limit=7&type=new,premium',
    'limit=3&status=active',
    'limit=1&type=30d&status=dead,active',
    'limit=5&symbol=wif',
    'limit=2&contract=0xAb4&until=2026-02-02T05:00:00Z',
    'limit=9&until=2026-02-02T05:00:00Z&type=new,3d',
  ])('a list read by cursor (%s) shows every signal once, with true page numbers', async (query) => {
    const whole = await read(query.replace(/limit=\d+/, 'limit=100'));
    const pages = await walk(query);
    const expected = query === 'limit=7' ? all : whole.data;
    expect(pages.flatMap(({ data }) => data)).toEqual(expected);
    expect(pages.map(({ meta }) => meta.page)).toEqual(pages.map((_, index) => index + 1));
    expect(pages.at(-1)?.meta).toMatchObject({ page: pages[0]?.meta.total_pages, next_cursor: null });
  });

  it('a list read by page is the same as by cursor', async () => {
    const pages = await walk('limit=11');
    for (const { data, meta } of pages)
      expect(await read(`limit=11&page=${meta.page}`)).toMatchObject({ data });
  });

  it('a page past the end is empty and says where the end was', async () => {
    expect(await read('page=50&limit=100')).toEqual({
      success: true,
      data: [],
      meta: { total: count, page: 50, per_page: 100, total_pages: 2, next_cursor: null },
    });
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=2.5', 'limit'],
    ['limit=', 'limit'],
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=101&limit=100', 'cursor'],
    ['page=99999999999999999999', 'cursor'],
    ['type=foo', 'type'],
    ['type=new,', 'type'],
    ['type=', 'type'],
    ['status=lost', 'status'],
    ['since=yesterday', 'since'],
    ['since=2026-01-01T00:00:00', 'since'],
    ['limit=020', 'limit'],
    ['page=01', 'page'],
    ['since=2026-02-30', 'since'],
    ['until=tomorrow', 'until'],
    ['symbol=', 'symbol'],
    [`symbol=${'x'.repeat(41)}`, 'symbol'],
    ['symbol=%ff', 'symbol'],
    ['contract=', 'contract'],
    [`contract=${'x'.repeat(201)}`, 'contract'],
    ['cursor=next', 'cursor'],
    ['cursor=', 'cursor'],
    ['cursor=abc&page=2', 'cursor'],
    ['limti=5', 'limti'],
    ['include=history', 'include'],
    ['type=new&type=3d', 'type'],
  ])('the list refuses %s and names the parameter', async (query, field) => {
    expect(refusedFields(await service.api.get(`/v1/signals?${query}`))).toEqual([field]);
  });

  it('the Link header leads from the first page to the last, over every signal once', async () => {
    const found: string[] = [];
    let address: string | undefined = '?limit=50&type=new,3d,7d';
    const pages = await read('limit=100&type=new,3d,7d');
    while (address !== undefined) {
      const response = await service.api.get(`/v1/signals${address}`);
      found.push(...(response.body as { data: SignalListItem[] }).data.map(({ id }) => id));
      address = /<([^>]+)>; rel="next"/.exec(String(response.headers.link))?.[1];
    }
    expect(found).toEqual(pages.data.map(({ id }) => id));
  });

  it('the detail of a signal refuses query parameters', async () => {
    const path = `/v1/signals/${all[0]?.id}?fields=id`;
    expect(refusedFields(await service.api.get(path))).toEqual(['fields']);
  });

  it.each(['/v1/signals?type=new', '/v1/signals/'])(
    '%s is answered with 304 while nothing has changed',
    async (path) => {
      const target = path.endsWith('/') ? `${path}${all[0]?.id}` : path;
      const first = await service.api.get(target);
      const tag = String(first.headers.etag);
      const second = await service.api.get(target, { 'if-none-match': tag });
      expect([second.status, second.text]).toEqual([304, '']);
      expect((await service.api.get(target, { 'if-none-match': 'W/"other"' })).status).toBe(200);
    },
  );

  it('a list read by cursor neither skips nor repeats a signal while newer ones arrive', async () => {
    let arrived = 0;
    const arrive = async () => detailOf(await service.api.post(sampleBody({ name: `late ${arrived++}` })));
    const pages = await walk('limit=13', arrive);
    expect(arrived).toBeGreaterThan(5);
    expect(pages.flatMap(({ data }) => data)).toEqual(all);
  });
});
