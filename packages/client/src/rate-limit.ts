/** The window with the least remaining, from an answer's `X-RateLimit-*` headers. */
export type RateLimit = {
  /** Requests that the window allows. */
  readonly limit: number;
  /** Requests left in the window. */
  readonly remaining: number;
  /** When the window ends or, with nothing remaining, when the next request is admitted. */
  readonly resetsAt: Date;
  /** True while each gateway counts by itself, because their shared store is unavailable. */
  readonly degraded: boolean;
};

/** Reads the headers about limits. Undefined when they are missing: something else answered, or a browser hides them. */
export function readRateLimit(headers: Headers): RateLimit | undefined {
  const limit = wholeNumber(headers.get('x-ratelimit-limit'));
  const remaining = wholeNumber(headers.get('x-ratelimit-remaining'));
  const resetS = wholeNumber(headers.get('x-ratelimit-reset'));
  if (limit === undefined || remaining === undefined || resetS === undefined) return undefined;
  const degraded = headers.get('x-ratelimit-degraded') === '1';
  return { limit, remaining, resetsAt: new Date(resetS * 1_000), degraded };
}

/** A number of at most ten digits; undefined for any other text. */
export function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
