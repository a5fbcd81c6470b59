import { describe, expect, it } from 'vitest';
import { startProgress } from '../src/index.ts';

function shown(stream: { isTTY?: boolean; columns?: number } = {}, total?: number) {
  const written: string[] = [];
  const time = { ms: 0 };
  const progress = startProgress({
    stream: { ...stream, write: (text) => written.push(text) },
    unit: 'lines',
    ...(total === undefined ? {} : { total }),
    nowMs: () => time.ms,
  });
  return { written, time, progress };
}

describe('progress', () => {
  it('progress on a terminal is one line with a bar, a rate and the time left, redrawn at most ten times a second', () => {
    const { written, time, progress } = shown({ isTTY: true, columns: 100 }, 4_000);
    time.ms = 99;
    progress.advance(10, 100);
    expect(written).toEqual([]);
    time.ms = 2_000;
    progress.advance(990, 900);
    expect(written).toEqual([
      `\r\x1b[K${'█'.repeat(6)}${'░'.repeat(18)}  25 %  1,000 lines, 500/s  0:06 left`,
    ]);
    time.ms = 8_000;
    progress.advance(3_000, 3_000);
    progress.end();
    expect(written.at(-2)).toBe(`\r\x1b[K${'█'.repeat(24)} 100 %  4,000 lines, 500/s  0:00 left`);
    expect(written.at(-1)).toBe('\n');
  });

  it('the line of progress is shorter than the terminal is wide', () => {
    const { written, time, progress } = shown({ isTTY: true, columns: 20 }, 10);
    time.ms = 1_000;
    progress.advance(5);
    expect(written[0]?.replace('\r\x1b[K', '')).toHaveLength(19);
  });

  it('progress elsewhere is a plain line every five seconds and at the end', () => {
    const { written, time, progress } = shown({}, 100);
    time.ms = 4_999;
    progress.advance(1);
    time.ms = 5_000;
    progress.advance(49);
    time.ms = 10_000;
    progress.end();
    expect(written).toEqual([' 50 %  50 lines, 10/s  0:05 left\n', ' 50 %  50 lines, 5/s  0:10 left\n']);
  });

  it('progress of work of unknown size is a count, a rate and the time so far', () => {
    const { written, time, progress } = shown();
    time.ms = 61_000;
    progress.advance(122_000);
    expect(written).toEqual(['122,000 lines, 2,000/s, 1:01\n']);
  });
});
