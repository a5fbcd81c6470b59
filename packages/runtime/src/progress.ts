/** Where progress is shown: usually standard error, so that it does not mix with results. */
export type ProgressStream = {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
};

type ProgressOptions = {
  readonly stream: ProgressStream;
  /** The name of what is counted, such as `lines` or `signals`. */
  readonly unit: string;
  /** The total work, in the unit of `advance`'s `work`; absent when unknown. */
  readonly total?: number;
  /** A clock that never goes back, in milliseconds. */
  readonly nowMs: () => number;
};

/** The progress display of a long task. */
export type Progress = {
  /** Adds finished items, which are `work` of the total. */
  advance(items: number, work?: number): void;
  /** Shows the final state, and ends the line. */
  end(): void;
};

/** A terminal's line is redrawn; elsewhere new lines are written. */
const redrawEveryMs = 100;
const lineEveryMs = 5_000;
const barCells = 24;

/**
 * Starts to show progress: on a terminal a bar with percentage, rate and time left, elsewhere plain lines. The rate is the
 * average since the start.
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
