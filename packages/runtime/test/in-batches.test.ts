import { describe, expect, it, vi } from 'vitest';
import { inBatches } from '../src/index.ts';

/** Work that ends on request, and the batches that it got. */
function gatedWork() {
  const batches: (readonly number[])[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const work = async (batch: readonly number[]) => {
    batches.push(batch);
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    await gate.promise;
    return batch.map((item) => item * 10);
  };
  return { batches, gates, work };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('inBatches', () => {
  it('items of one turn of the event loop share a batch, and each gets its own result', async () => {
    const { batches, gates, work } = gatedWork();
    const each = inBatches(work, { most: 10, atOnce: 1 });
    const results = Promise.all([each(1), each(2), each(3)]);
    await turn();
    gates[0]?.resolve();
    expect(await results).toEqual([10, 20, 30]);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  it('items wait while as many batches as allowed are running, and follow in order and in bounded batches', async () => {
    const { batches, gates, work } = gatedWork();
    const each = inBatches(work, { most: 2, atOnce: 2 });
    const results: Promise<number>[] = [];
    for (const item of [1, 2, 3]) {
      results.push(each(item));
      await turn();
    }
    results.push(each(4), each(5));
    await turn();
    expect(batches).toEqual([[1], [2]]);
    gates[0]?.resolve();
    await results[0];
    await turn();
    expect(batches).toEqual([[1], [2], [3, 4]]);
    gates[1]?.resolve();
    await results[1];
    await turn();
    for (const gate of gates) gate.resolve();
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50]);
    expect(batches).toEqual([[1], [2], [3, 4], [5]]);
  });

  it('a batch that fails rejects its items, and later items are processed', async () => {
    const each = inBatches(
      async (batch: readonly number[]) => {
        if (batch.includes(1)) throw new Error('no');
        return batch;
      },
      { most: 10, atOnce: 1 },
    );
    const failed = await Promise.allSettled([each(1), each(2)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await each(3)).toBe(3);
  });

  it('takes together what comes while a batch lingers, and begins a full batch at once', async () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate'] });
    try {
      const { batches, gates, work } = gatedWork();
      const each = inBatches(work, { most: 3, atOnce: 1, lingerMs: 50 });
      const results = [each(1)];
      await turn();
      vi.advanceTimersByTime(49);
      results.push(each(2));
      await turn();
      expect(batches).toEqual([]);
      vi.advanceTimersByTime(1);
      expect(batches).toEqual([[1, 2]]);
      gates[0]?.resolve();
      await results[0];
      results.push(each(3), each(4), each(5), each(6));
      await turn();
      expect(batches).toEqual([
        [1, 2],
        [3, 4, 5],
      ]);
      gates[1]?.resolve();
      await results[2];
      await turn();
      vi.advanceTimersByTime(49);
      expect(batches).toHaveLength(2);
      vi.advanceTimersByTime(1);
      expect(batches[2]).toEqual([6]);
      gates[2]?.resolve();
      expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50, 60]);
    } finally {
      vi.useRealTimers();
    }
  });
});
