import {
  accountOperations,
  apiOperations,
  type Operation,
  sampleOf,
  signalStatuses,
  signalTypes,
} from '@sigcast/contracts';
import type { Page } from 'playwright-core';
import { pictureResult } from './screenshot-backtest.ts';

/** When the page's clock stands still. */
export const pictureTime = '2026-01-02T12:30:00.000Z';
const nowMs = Date.parse(pictureTime);
const rowsOfList = 8;

const operations: readonly Operation[] = [...apiOperations, ...accountOperations];

/** Who is signed in, as the pages say. */
const reader = { email: 'you@example.com' };

type Json = Readonly<Record<string, unknown>>;

/**
 * Answers everything that pages read with the examples of the contract, always the same. Lists have several rows. The session
 * stays a real one, with another name. The page's clock stands still.
 */
export async function serveSamples(page: Page): Promise<void> {
  await page.clock.setFixedTime(pictureTime);
  await page.route(/\/(v1|account)([/?]|$)/, async (route) => {
    const request = route.request();
    const { pathname } = new URL(request.url());
    const operation = operations.find(
      ({ method, path }) => method.toUpperCase() === request.method() && patternOf(path).test(pathname),
    );
    if (operation?.id === 'renewSession') {
      const { data } = (await (await route.fetch()).json()) as { data: { account: Json } };
      return route.fulfill({
        json: { success: true, data: { ...data, account: { ...data.account, ...reader } } },
      });
    }
    if (operation?.method !== 'get') return route.continue();
    if (operation.answer === undefined)
      return route.fulfill({ contentType: 'text/event-stream', body: ':\n\n' });
    if (operation.id === 'getSignalProof') {
      // The example proves nothing of the examples.
      const error = { code: 'NOT_FOUND', message: 'The log has no entry about this signal.' };
      return route.fulfill({ status: 404, json: { success: false, error } });
    }
    return route.fulfill({ json: answerOf(operation.id, sampleOf(operation.answer) as Json) });
  });
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function answerOf(id: string, sample: Json): Json {
  const { data } = sample;
  if (Array.isArray(data)) {
    const rows = Array.from({ length: rowsOfList }, (_, n) => rowOf(data[0] as Json, n));
    return { ...sample, data: rows, ...(id === 'listRequests' && { meta: { gaps: [], next_cursor: null } }) };
  }
  const one = data as Json;
  if (id === 'getSignalHistory') return { ...sample, data: { ...one, ...course() } };
  if (id === 'getBacktest') return { ...sample, data: { ...one, result: pictureResult(nowMs) } };
  return sample;
}

/** The n-th of a list: an hour older than the one before it, with another identifier, state and course. */
function rowOf(sample: Json, n: number): Json {
  const { id, created_at: at, performance } = sample;
  const createdAt =
    typeof at === 'string' ? { created_at: new Date(nowMs - (n + 1) * 3_600_000).toISOString() } : {};
  const named = typeof id === 'string' ? { id: `${id.slice(0, -1)}${n}` } : {};
  if (performance === undefined) return { ...sample, ...named, ...createdAt };
  const roi = [140, -32.5, 1_020, 4, -88, 12.5, 61, -3][n];
  const signal = {
    type: signalTypes[n % signalTypes.length],
    performance: {
      roi,
      ath_roi: Math.max(0, roi ?? 0) + 40,
      status: signalStatuses[n % signalStatuses.length],
    },
  };
  return { ...sample, ...named, ...createdAt, ...signal };
}

/** A course of a day with a peak in its middle. */
function course(): Json {
  const fromMs = nowMs - 86_400_000;
  const at = (n: number) => new Date(fromMs + n * 300_000).toISOString();
  const mcap = (n: number) => 100_000 * (1 + 0.8 * Math.sin((n / 288) * Math.PI) + 0.1 * Math.sin(n / 5));
  return {
    from: at(0),
    until: pictureTime,
    entry: { at: at(0), mcap: 100_000 },
    ath: { at: at(144), mcap: 190_000 },
    buckets: Array.from({ length: 288 }, (_, n) => {
      const [open, close] = [mcap(n), mcap(n + 1)];
      const figures = { open, close, high: Math.max(open, close), low: Math.min(open, close) };
      return { start: at(n), count: 3, mcap: figures, liquidity: figures };
    }),
    changes: [],
  };
}
