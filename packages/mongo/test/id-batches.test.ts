import { describe, expect, it } from 'vitest';
import { idBatches } from '../src/index.ts';

describe('idBatches', () => {
  const values = (count: number) => Array.from({ length: count }, (_, index) => index);

  it('batches have every value once, in order, and at most 100 values each', () => {
    for (const count of [1, 99, 100, 101, 200, 250]) {
      const batches = [...idBatches(values(count))];
      expect(batches.flat()).toEqual(values(count));
      expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(100);
      expect(batches).toHaveLength(Math.ceil(count / 100));
    }
  });

  it('no values make no batch', () => {
    expect([...idBatches([])]).toEqual([]);
  });
});
