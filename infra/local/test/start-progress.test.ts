import { expect, it } from 'vitest';
import { linePrinter } from '../src/report.ts';
import { Phases } from '../src/system/phases.ts';

/** What a printer writes to a stream, as one text. */
function written(isTTY: boolean, say: (print: ReturnType<typeof linePrinter>) => void): string {
  let text = '';
  const write = (part: string) => {
    text += part;
    return true;
  };
  say(linePrinter({ isTTY, columns: 12, write } as unknown as Parameters<typeof linePrinter>[0]));
  return text;
}

function say(print: ReturnType<typeof linePrinter>): void {
  print('begin');
  print.fleeting?.('building … 1 s');
  print.fleeting?.('done');
  print('end');
}

it('a terminal shows what is under way in one line, which the next line replaces, and a file gets only lines that stay', () => {
  const clear = '\r\x1b[K';
  expect(written(true, say)).toBe(`${clear}begin\n${clear}building … ${clear}done${clear}end\n`);
  expect(written(false, say)).toBe('begin\nend\n');
});

it('the phases of a start are listed in the order in which they began, also those that failed or ran side by side', async () => {
  let nowMs = 500;
  const phases = new Phases(() => nowMs);
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = phases.measure('engines', () => promise);
  nowMs += 1_000;
  await expect(
    phases.measure('dashboard', async () => {
      nowMs += 250;
      throw new Error('no room');
    }),
  ).rejects.toThrow('no room');
  nowMs += 11_750;
  resolve();
  await slow;
  expect(phases.table().split('\n')).toEqual([
    '  phase      began at      took',
    '  engines       0.0 s    13.0 s',
    '  dashboard     1.0 s     0.3 s',
  ]);
});
