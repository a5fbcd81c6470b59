import type { FilledSystem } from '../filled-system.ts';

/** What latencies are told of as one, where kinds are too many. */
export const groups = ['list', 'detail', 'statistics'] as const;
export type Group = (typeof groups)[number];

/** What a request is made from. */
export type Asked = Pick<FilledSystem, 'ids' | 'deepestCursor'>;

/** A kind of request. */
export type Kind = {
  readonly name: string;
  readonly group: Group;
  /** The most that p99 may be at the largest size, in milliseconds. */
  readonly p99BarMs: number;
  readonly path: (system: Asked, turn: number) => string;
};

const list = (name: string, query: (turn: number, system: Asked) => string): Kind => ({
  name: `list ${name}`,
  group: 'list',
  p99BarMs: 20,
  path: (system, turn) => `/v1/signals?${query(turn, system)}`,
});
const stats = (query: string): Kind => ({
  name: `stats ${query}`,
  group: 'statistics',
  p99BarMs: 10,
  path: () => `/v1/stats?${query}`,
});
/** Another stretch of time each time, so that nothing can remember what is there. */
const someTimeAgo = (days: number, turn: number) =>
  new Date(Date.now() - days * 86_400_000 + (turn % 1_000) * 361_007).toISOString();

export const firstPage = list('first page', () => 'limit=20');
export const deepest = list(
  'deepest cursor',
  (_turn, { deepestCursor }) => `limit=20&cursor=${deepestCursor}`,
);
export const kinds: readonly Kind[] = [
  firstPage,
  deepest,
  list('type', () => 'type=wallet'),
  list('status', () => 'status=winner'),
  list('type and status', () => 'type=7d&status=rugged'),
  list('types and statuses', () => 'type=new,premium&status=winner,dead'),
  list('since', (turn) => `since=${someTimeAgo(14, turn)}`),
  list('type since', (turn) => `type=3d&since=${someTimeAgo(40, turn)}`),
  list('page 10', () => 'limit=100&page=10'),
  {
    name: 'detail',
    group: 'detail',
    p99BarMs: 10,
    path: ({ ids }, turn) => `/v1/signals/${ids[(turn * 7_919) % ids.length] ?? ''}`,
  },
  ...['24h', '7d', '30d', 'all'].map((period) => stats(`period=${period}`)),
  stats('period=7d&type=premium'),
];
