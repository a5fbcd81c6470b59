/** Where progress is shown: standard error, as a rule, so that it never mixes with results. */
export type ProgressStream = {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
};

export type ProgressOptions = {
  readonly stream: ProgressStream;
  /** What is counted, for people: `lines`, `signals`. */
  readonly unit: string;
  /** All the work there is, in whatever measure `advance` is told; absent when nobody knows. */
  readonly total?: number;
  /** A clock that never goes back, in milliseconds. */
  readonly nowMs: () => number;
};

/** Shows how far a long piece of work has come. */
export type Progress = {
  /** `items` more units are done, which are `work` of the total. */
  advance(items: number, work?: number): void;
  /** Shows the last state, and leaves the line. */
  end(): void;
};

/** On a terminal one line is drawn again and again; elsewhere a line is written now and then. */
const redrawEveryMs = 100;
const lineEveryMs = 5_000;
const barCells = 24;

/**
 * Starts to show progress: on a terminal a bar with percentage, rate and time left, elsewhere plain lines.
 * The rate is that of the whole time so far.
 */
export function startProgress({ stream, unit, total, nowMs }: ProgressOptions): Progress {
  const startedAt = nowMs();
  const onTerminal = stream.isTTY === true;
  let shownAt = startedAt;
  let items = 0;
  let work = 0;

  const state = () => {
    const seconds = Math.max(0.001, (nowMs() - startedAt) / 1_000);
    const count = `${grouped(items)} ${unit}, ${grouped(items / seconds)}/s`;
    if (total === undefined || total <= 0) return `${count}, ${clock(seconds)}`;
    const share = Math.min(1, work / total);
    const left = share > 0 ? `${clock((seconds / share) * (1 - share))} left` : '';
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    const filled = Math.floor(share * barCells);
    const bar = onTerminal ? `${'█'.repeat(filled)}${'░'.repeat(barCells - filled)} ` : '';
    return [`${bar}${percent}`, count, left].filter(Boolean).join('  ');
  };
  const show = () => {
    shownAt = nowMs();
    // A line longer than the terminal would wrap, and redrawing it would leave its beginning behind.
    if (onTerminal) stream.write(`\r\x1b[K${state().slice(0, (stream.columns ?? 80) - 1)}`);
    else stream.write(`${state()}\n`);
  };

  return {
    advance: (moreItems, moreWork = moreItems) => {
      items += moreItems;
      work += moreWork;
      if (nowMs() - shownAt >= (onTerminal ? redrawEveryMs : lineEveryMs)) show();
    },
    end: () => {
      show();
      if (onTerminal) stream.write('\n');
    },
  };
}

function grouped(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Minutes and seconds. */
function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
