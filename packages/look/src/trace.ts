/** A value at an instant: Unix milliseconds, and a market cap in US dollars. */
export type Observed = { readonly at: number; readonly value: number };

/** What a trace shows of a signal. */
export type Traced = {
  /** When the signal was created, and its market cap then. */
  readonly entry: Observed;
  /** The highest market cap since. */
  readonly peak: Observed;
  /** Where the trace begins, if later than at the entry. */
  readonly from?: number | undefined;
  /** Observations since the entry, the oldest first. */
  readonly points: readonly Observed[];
  /** While the order of the fixed rule was held: bought and sold; `until` is null while it is not sold. */
  readonly held?: { readonly from: number; readonly until: number | null } | undefined;
  /** Instants at which the status changed. */
  readonly changes?: readonly number[] | undefined;
};

/** Pixels. */
export type Size = { readonly width: number; readonly height: number };

/** A trace as shapes of SVG. Y grows downwards. */
export type Trace = {
  /** The line, as the `d` of a path. */
  readonly line: string;
  /** The area between the line and the level of the entry. */
  readonly area: string;
  /** The level of the entry. */
  readonly entryY: number;
  readonly peak: { readonly x: number; readonly y: number };
  readonly end: { readonly x: number; readonly y: number };
  /** While the order was held. */
  readonly band: { readonly x: number; readonly width: number } | undefined;
  /** Where the status changed, in the order of {@link Traced.changes}. */
  readonly flags: readonly number[];
  /** Where an instant is, and at which height a market cap is. */
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
  /** Lines of the scale: multiples of the entry, such as 0.5, 1, 2, or 0.95, 1, 1.05 of a flat course. */
  readonly levels: readonly { readonly multiple: number; readonly y: number }[];
};

/** What a bucket of a signal's history covers, in milliseconds, by the API's name of the resolution. */
export const bucketMs = {
  '1m': 60_000,
  '5m': 300_000,
  '1h': 3_600_000,
  '1d': 86_400_000,
  '1w': 604_800_000,
} as const;

/** The smallest range of the scale, up and down from the entry: about a tenth, so that a course of a few percent is no flat line. */
const leastOctaves = Math.log2(1.1);
/** Below this range, the lines of the scale are at round percentages of the entry. */
const percentOctaves = 2;

/**
 * The shapes of a signal's trace. The scale is logarithmic, so half and twice the entry are equally far from it.
 * @param inset pixels at top and bottom that the line does not reach.
 */
export function traceOf(traced: Traced, { width, height }: Size, inset = 2): Trace {
  const { entry, peak } = traced;
  const start = Math.max(entry.at, traced.from ?? entry.at);
  const points = inOrder([entry, ...traced.points, peak]).filter(({ at }) => at >= start);
  const end = points.at(-1) ?? entry;
  const octaves = points.map(({ value }) => octavesOf(value, entry.value));
  const top = Math.max(leastOctaves, ...octaves);
  const bottom = Math.min(-leastOctaves, ...octaves);
  const spanMs = Math.max(1, end.at - start);
  const x = (at: number) => round(clamp((at - start) / spanMs, 0, 1) * width);
  const yOf = (octave: number) => round(inset + ((top - octave) / (top - bottom)) * (height - 2 * inset));
  const y = (value: number) => yOf(octavesOf(value, entry.value));
  const line = pathOf(points.map(({ at, value }) => [x(at), y(value)]));
  const entryY = yOf(0);
  const { held } = traced;
  return {
    line,
    area: `${line}L${x(end.at)} ${entryY}L${x(start)} ${entryY}Z`,
    entryY,
    peak: { x: x(peak.at), y: y(peak.value) },
    end: { x: x(end.at), y: y(end.value) },
    band: held && { x: x(held.from), width: Math.max(1, round(x(held.until ?? end.at) - x(held.from))) },
    flags: (traced.changes ?? []).map(x),
    x,
    y,
    levels: levelsIn(bottom, top).map((multiple) => ({ multiple, y: yOf(Math.log2(multiple)) })),
  };
}

/** The `d` of a path through points. */
export function pathOf(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], n) => `${n === 0 ? 'M' : 'L'}${x} ${y}`).join('');
}

/** What stands beside a line of the scale: `entry`, `4×`, or `1/4×` below the entry; between half and twice, `+5%`. */
export function levelWord(multiple: number): string {
  if (multiple === 1) return 'entry';
  if (multiple > 0.5 && multiple < 2) {
    return `${multiple > 1 ? '+' : '−'}${Math.round(Math.abs(multiple - 1) * 100)}%`;
  }
  return `${multiple > 1 ? multiple : `1/${1 / multiple}`}×`;
}

/** The oldest first; of several at one instant, the one that is named last. A value of 0 or less has no place on the scale. */
function inOrder(points: readonly Observed[]): Observed[] {
  const byInstant = new Map(points.filter(({ value }) => value > 0).map((point) => [point.at, point]));
  return [...byInstant.values()].sort((one, other) => one.at - other.at);
}

/** The multiples at three to six lines of a range in octaves, 1 among them. */
function levelsIn(bottom: number, top: number): number[] {
  if (top - bottom < percentOctaves) return percentLevels(2 ** bottom, 2 ** top);
  const step = Math.max(1, Math.ceil((top - bottom) / 5));
  const first = Math.ceil(bottom / step) * step;
  return Array.from({ length: Math.floor((top - first) / step) + 1 }, (_, at) => 2 ** (first + at * step));
}

/** The steps between percentages, the least first. */
const percentSteps = [5, 10, 20, 25, 50, 100];

function percentLevels(least: number, most: number): number[] {
  const [below, above] = [(least - 1) * 100, (most - 1) * 100];
  const step = percentSteps.find((one) => (above - below) / one <= 5) ?? 100;
  const first = Math.ceil(below / step - 0.01);
  const lines = Math.floor(above / step + 0.01) - first + 1;
  return Array.from({ length: lines }, (_, at) => 1 + ((first + at) * step) / 100);
}

const octavesOf = (value: number, entry: number) => Math.log2(value / entry);
const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));
const round = (pixels: number) => Math.round(pixels * 10) / 10;
