import { sampleOf, signalListItemSchema } from '@sigcast/contracts';
import { expect, it } from 'vitest';
import { exportFormats, mostExported, readSignals } from '../src/routes/signals/signal-export.ts';

const sample = sampleOf(signalListItemSchema);

/** A list of so many signals, a hundred to a page. Its cursors are the numbers of signals before them. */
function listOf(total: number) {
  const asked: (string | undefined)[] = [];
  const ask = async (cursor: string | undefined) => {
    asked.push(cursor);
    const from = Number(cursor ?? 0);
    const data = Array.from({ length: Math.min(100, total - from) }, (_, at) => ({
      ...sample,
      id: `sig_${from + at}`,
    }));
    const next_cursor = from + 100 < total ? `${from + 100}` : null;
    return { data, meta: { total, page: 1, per_page: 100, total_pages: 1, next_cursor } };
  };
  return { ask, asked };
}

it('an export has every signal of the list once, in its order, and says how far it is', async () => {
  const { ask, asked } = listOf(230);
  const progress: string[] = [];
  const signals = await readSignals(ask, (read, of) => progress.push(`${read}/${of}`));
  expect(signals.map(({ id }) => id)).toEqual(Array.from({ length: 230 }, (_, at) => `sig_${at}`));
  expect(asked).toEqual([undefined, '100', '200']);
  expect(progress).toEqual(['100/230', '200/230', '230/230']);
});

it('an export ends at its bound', async () => {
  const { ask, asked } = listOf(3 * mostExported);
  const progress: number[] = [];
  expect(await readSignals(ask, (_, of) => progress.push(of))).toHaveLength(mostExported);
  expect(asked).toHaveLength(mostExported / 100);
  expect(progress.at(-1)).toBe(mostExported);
});

it('an export as CSV has a column for each field of the API, figures as numbers, and no formulas', () => {
  const signal = {
    ...sample,
    token: { ...sample.token, symbol: '=1+1', name: 'A, "B"' },
    performance: { ...sample.performance, roi: -12.5 },
  };
  const [head = '', line = '', end] = exportFormats.csv.write([signal]).split('\r\n');
  const columns = head.split(',');
  expect(columns).toEqual(expect.arrayContaining(['id', 'token.symbol', 'metrics.mcap_entry', 'created_at']));
  expect(line).toContain(`'=1+1,"A, ""B""",`);
  expect(line).toContain(',-12.5,');
  expect(end).toBe('');
  expect(JSON.parse(exportFormats.json.write([signal]))).toEqual([signal]);
});
