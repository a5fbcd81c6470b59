const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A kind of bucket: how long a time it covers, and how long each of its cells. Aligned to the Unix epoch. */
export type Level = { readonly name: string; readonly widthMs: number; readonly cellMs: number };

/** From coarse to fine; a cell of one level is what a bucket of the next covers. */
export const levels: readonly Level[] = [
  { name: '360d', widthMs: 360 * dayMs, cellMs: 30 * dayMs },
  { name: '30d', widthMs: 30 * dayMs, cellMs: dayMs },
  { name: '1d', widthMs: dayMs, cellMs: hourMs },
  { name: '1h', widthMs: hourMs, cellMs: 5 * minuteMs },
  { name: '5m', widthMs: 5 * minuteMs, cellMs: 10 * secondMs },
  { name: '10s', widthMs: 10 * secondMs, cellMs: secondMs },
];

/** The coarsest level, whose buckets every fact belongs to. */
export const [topLevel] = levels as readonly [Level, ...Level[]];

/** The level whose buckets cover a cell of this one; none below the finest. */
export function below(level: Level): Level | undefined {
  return levels[levels.indexOf(level) + 1];
}

/** Where the stretch of this width begins that an instant lies in. */
export function floorMs(ms: number, widthMs: number): number {
  return Math.floor(ms / widthMs) * widthMs;
}

/** A time between two instants in milliseconds, `fromMs` included, `toMs` not. */
export type Span = { readonly fromMs: number; readonly toMs: number };

/** Whether an instant lies in a span. */
export function isIn({ fromMs, toMs }: Span, ms: number): boolean {
  return ms >= fromMs && ms < toMs;
}

/** The same times in as few spans as possible, earliest first. */
export function joinSpans(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1);
    if (span.fromMs >= span.toMs) continue;
    if (last && last.toMs >= span.fromMs) {
      joined[joined.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, span.toMs) };
    } else {
      joined.push(span);
    }
  }
  return joined;
}
