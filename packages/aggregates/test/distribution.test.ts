import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cell, fromStored, toStored, toStoredHour } from '../src/cells.ts';
import {
  addAmounts,
  addToPacked,
  type Distributions,
  mergePacked,
  type PackedDistributions,
  pack,
  type Sums,
  unpack,
} from '../src/distribution.ts';
import type { Figures } from '../src/figures.ts';

const sums = fc
  .array(fc.tuple(fc.oneof(fc.nat(100), fc.maxSafeNat()), fc.integer({ min: -(2 ** 45), max: 2 ** 45 })))
  .map((amounts) => addAmounts(new Map(), amounts));
const unpacked = (text: string): Sums => {
  const found: Sums = new Map();
  unpack(text, (key, sum) => addAmounts(found, [[key, sum]]));
  return found;
};

describe('packed sums', () => {
  it('unpacked sums equal the packed ones, whatever the keys and the sums', () => {
    fc.assert(
      fc.property(sums, (each) => {
        expect(unpacked(pack(each))).toEqual(each);
        expect(pack(each)).toMatch(/^[A-Za-z0-9+/]*$/);
      }),
    );
  });

  it('packed sums equal the sums that were added one after the other', () => {
    fc.assert(
      fc.property(fc.array(sums, { maxLength: 30 }), (added) => {
        const packed: PackedDistributions = new Map();
        const total: Sums = new Map();
        for (const each of added) {
          addToPacked(packed, 'new', each);
          addAmounts(total, each);
          expect(unpacked(packed.get('new') ?? '')).toEqual(total);
        }
      }),
    );
  });

  it('sums of the keys below a bound are unpacked alone, also where sums were added later', () => {
    fc.assert(
      fc.property(fc.array(sums, { maxLength: 5 }), fc.nat(120), (added, belowKey) => {
        const packed: PackedDistributions = new Map();
        const below: Sums = new Map();
        for (const each of added) {
          addToPacked(packed, 'new', each);
          addAmounts(
            below,
            [...each].filter(([key]) => key < belowKey),
          );
        }
        const found: Distributions = new Map();
        mergePacked(found, packed, 1, belowKey);
        expect(found.get('new') ?? new Map()).toEqual(below);
      }),
    );
  });

  it('a stored cell has the distributions that it was stored with, and one that it was stored without is empty', () => {
    const figures: Figures = new Map([
      ['new', [2]],
      ['3d', [1]],
    ]);
    const cell = { fromMs: 0, toMs: 1, figures };
    const one: PackedDistributions = new Map([['new', 'AB']]);
    const stored = toStored({ ...cell, distributions: new Map([['one', one]]) });
    const distributions = new Map([
      ['one', one],
      ['later', new Map()],
    ]);
    expect(fromStored(stored, ['one', 'later'])).toEqual({ ...cell, distributions });
  });

  it('packed sums are at most twice as long as packed at once, however often some are added and subtracted', () => {
    const many: Sums = new Map(Array.from({ length: 200 }, (_, n) => [n * 3, n + 1]));
    const packed: PackedDistributions = new Map();
    addToPacked(packed, 'new', many);
    for (let n = 0; n < 500; n++) {
      const change: Sums = new Map([[n % 1_000, n % 2 === 0 ? 1 : -1]]);
      addToPacked(packed, 'new', change);
      addToPacked(packed, 'new', addAmounts(new Map(), change, -1));
      expect((packed.get('new') ?? '').length).toBeLessThanOrEqual(2 * pack(many).length + 10);
    }
    expect(unpacked(packed.get('new') ?? '')).toEqual(many);
  });

  it('an hour is not stored where its cells would not fit into a document', () => {
    const cell = (characters: number): Cell => ({
      fromMs: 0,
      toMs: 1,
      figures: new Map([['new', [1]]]),
      distributions: new Map([
        ['one', new Map([['new', 'A'.repeat(characters / 2)] as const])],
        ['other', new Map([['new', 'A'.repeat(characters / 2)] as const])],
      ]),
    });
    expect(toStoredHour([cell(6_000_000), cell(5_000_000)])).toHaveLength(2);
    expect(toStoredHour([cell(6_000_000), cell(6_000_000)])).toBeNull();
    const small = Array.from({ length: 100_000 }, () => cell(10));
    expect(toStoredHour(small)).toBeNull();
  });
});
