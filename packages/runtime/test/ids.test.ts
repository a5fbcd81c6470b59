import { describe, expect, it } from '@jest/globals';
import { newId, timeOfId } from '../src/index.ts';

describe('newId', () => {
  it('has its prefix and 26 characters', () => {
    expect(newId('sig')).toMatch(/^sig_[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  it('sorts by the time it is made for', () => {
    const times = [1, 2, 999, 1_000, 2 ** 40, 1_700_000_000_000, 1_700_000_000_001, 253_402_300_799_999];
    const ids = times.map((at) => newId('sig', at));
    expect([...ids].sort()).toEqual(ids);
  });

  it('takes any instant: what is before 1970 sorts at its beginning', () => {
    const early = [newId('sig', 0), newId('sig', -62_135_596_800_000)];
    for (const id of early) expect(id < newId('sig', 2)).toBe(true);
  });

  it('is never made twice', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => newId('evt', 0))).size).toBe(10_000);
  });

  it('tells when it was made, and nothing where it was made elsewhere', () => {
    expect(timeOfId(newId('evt', 1_700_000_000_000))).toBe(1_700_000_000_000);
    for (const other of ['evt_0123456789012345678901', 'evt_', '', 'evt_zzzzzzzzzzzzzzzzzzzzzzzzzz']) {
      expect(timeOfId(other)).toBeUndefined();
    }
  });
});
