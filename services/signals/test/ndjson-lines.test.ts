import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ImportLine } from '../src/domain/import-signals.ts';
import { ndjsonLines } from '../src/routes/ndjson-lines.ts';
import { sampleBody, sampleInput } from './samples.ts';

async function* inChunks(bytes: Buffer, sizes: readonly number[]) {
  let start = 0;
  for (let n = 0; start < bytes.length; n++) {
    const end = start + (sizes[n % Math.max(1, sizes.length)] ?? bytes.length);
    yield bytes.subarray(start, end);
    start = end;
  }
}

const read = async (content: string | Buffer, sizes: readonly number[] = []): Promise<ImportLine[]> => {
  const lines: ImportLine[] = [];
  for await (const line of ndjsonLines(inChunks(Buffer.from(content), sizes))) lines.push(line);
  return lines;
};

const valid = JSON.stringify(sampleBody());

describe('lines of an import', () => {
  it('lines of an import become signals, or errors with the line’s number', async () => {
    const lines = await read(`${valid}\n\n{oops\r\n  \r\n${valid}\r\n{"token":{}}`);
    expect(lines.map(({ kind, line }) => [kind, line])).toEqual([
      ['signal', 1],
      ['unreadable', 3],
      ['signal', 5],
      ['unreadable', 6],
    ]);
    expect(lines[0]).toEqual({ kind: 'signal', line: 1, bytes: valid.length, input: sampleInput() });
    expect(lines[3]).toMatchObject({
      details: expect.arrayContaining([expect.objectContaining({ field: 'token.symbol' })]),
    });
  });

  it('a line over 100 kB is reported as an error, and the next lines are read', async () => {
    const long = `{"a":"${'x'.repeat(99_992)}"}`;
    const lines = await read(`${long}y\n${valid}\n${long}\n${'z'.repeat(300_000)}`, [7_000]);
    expect(lines).toMatchObject([
      { line: 1, message: 'The line is over 100 kB' },
      { line: 2, kind: 'signal' },
      { line: 3, message: expect.not.stringContaining('kB') },
      { line: 4, message: 'The line is over 100 kB' },
    ]);
  });

  it('a line that is wrong in thousands of places reports ten of them', async () => {
    const keys = Array.from({ length: 5_000 }, (_, n) => [`k${n}`, n] as const);
    const [line] = await read(JSON.stringify(Object.fromEntries(keys)));
    expect(line).toMatchObject({ kind: 'unreadable', details: { length: 10 } });
    expect(JSON.stringify(line).length).toBeLessThan(2_000);
  });

  it('a line that is not UTF-8 is an error', async () => {
    const lines = await read(Buffer.concat([Buffer.from('"\xff"\n', 'latin1'), Buffer.from(valid)]));
    expect(lines.map(({ kind }) => kind)).toEqual(['unreadable', 'signal']);
  });

  it('lines are the same however the stream is split into chunks', async () => {
    const content = `${valid.replace('Sample Token', 'Žeton 🚀')}\n\n{"x"\n${valid}`;
    const whole = await read(content);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }), async (sizes) => {
        expect(await read(content, sizes)).toEqual(whole);
      }),
      { numRuns: 50 },
    );
  });
});
