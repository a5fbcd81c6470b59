import { describe, expect, it } from 'vitest';
import { symbolKey } from '../src/index.ts';

describe('symbol keys', () => {
  it.each([
    ['wif', 'WIF'],
    ['écu', 'E\u0301CU'],
    ['σ', 'Σ'],
    ['ж', 'Ж'],
    ['𐐨', '𐐀'],
  ])('the key of a symbol is the same for %s and %s', (one, other) => {
    expect(symbolKey(one)).toBe(symbolKey(other));
  });

  it.each([
    ['ß', 'SS'],
    ['ß', 'ẞ'],
    ['ﬁ', 'FI'],
    ['ı', 'I'],
    ['İ', 'i'],
    ['ſ', 'S'],
    ['LıNK', 'LINK'],
    ['USDſ', 'USDS'],
  ])('the key of %s differs from that of %s, which only looks similar', (one, other) => {
    expect(symbolKey(one)).not.toBe(symbolKey(other));
  });
});
