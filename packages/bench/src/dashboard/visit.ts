import type { BrowserContext, Page, Request } from 'playwright-core';

/** How slow a visitor's machine and line are. */
export type Conditions = {
  readonly name: string;
  /** How many times slower than this machine's processor. */
  readonly cpuSlowdown: number;
  /** Added to each request, in milliseconds. */
  readonly latencyMs: number;
};

/** The cost of a page until it could be used. */
export type VisitFigures = {
  readonly usableMs: number;
  readonly requests: number;
  /** Those of `requests` that went to the API or the account. */
  readonly apiRequests: number;
  /** The longest chain of requests in which each began after the one before had ended. */
  readonly depth: number;
  /** Bytes of script as they came over the line. */
  readonly scriptBytes: number;
};

type Span = { readonly startMs: number; readonly endMs: number };

/** Opens a page in a new tab and measures it until it can be used. The tab is closed afterwards. */
export async function measureVisit(
  context: BrowserContext,
  visit: {
    readonly path: string;
    readonly conditions: Conditions;
    readonly usable: (page: Page) => Promise<unknown>;
  },
): Promise<VisitFigures> {
  const { path, conditions, usable } = visit;
  const page = await context.newPage();
  const debug = await context.newCDPSession(page);
  await debug.send('Network.enable');
  await debug.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: conditions.latencyMs,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  await debug.send('Emulation.setCPUThrottlingRate', { rate: conditions.cpuSlowdown });
  const begun: Request[] = [];
  const ended = new Map<Request, number>();
  page.on('request', (request) => begun.push(request));
  page.on('requestfinished', (request) => ended.set(request, performance.now()));
  const startedMs = performance.now();
  await page.goto(path, { waitUntil: 'commit' });
  await usable(page);
  const usableMs = performance.now() - startedMs;
  const counted = begun.filter((request) => !request.url().startsWith('data:'));
  const needed = counted.filter((request) => ended.has(request));
  const spans = needed.map((request): Span => {
    const { startTime, responseEnd } = request.timing();
    return { startMs: startTime, endMs: startTime + responseEnd };
  });
  const sizes = await Promise.all(
    needed.filter((request) => request.resourceType() === 'script').map((request) => request.sizes()),
  );
  await page.close();
  return {
    usableMs,
    requests: counted.length,
    apiRequests: counted.filter((request) => /^\/(v1|account)(\/|$)/.test(new URL(request.url()).pathname))
      .length,
    depth: longestChain(spans),
    scriptBytes: sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0),
  };
}

/** The largest number of spans that follow one after the other. */
function longestChain(spans: readonly Span[]): number {
  const lengths = new Map<Span, number>();
  for (const span of [...spans].sort((a, b) => a.startMs - b.startMs)) {
    const before = [...lengths].filter(([{ endMs }]) => endMs <= span.startMs);
    lengths.set(span, 1 + Math.max(0, ...before.map(([, length]) => length)));
  }
  return Math.max(0, ...lengths.values());
}
