import { describe, expect, it } from 'vitest';
import { newId, timeOfId } from '../src/index.ts';

describe('newId', () => {
  it('an id has its prefix and 26 characters', () => {
    expect(newId('sig')).toMatch(/^sig_[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  it('ids sort by the time they are made for', () => {
    const times = [1, 2, 999, 1_000, 2 ** 40, 1_700_000_000_000, 1_700_000_000_001, 253_402_300_799_999];
    const ids = times.map((at) => newId('sig', at));
    expect([...ids].sort()).toEqual(ids);
  });

  it('ids for instants before 1970 sort at its beginning', () => {
    const early = [newId('sig', 0), newId('sig', -62_135_596_800_000)];
    for (const id of early) expect(id < newId('sig', 2)).toBe(true);
  });

  it('10,000 ids for one instant are all different', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => newId('evt', 0))).size).toBe(10_000);
  });

  it('timeOfId is the instant of an id, and undefined for other texts', () => {
    expect(timeOfId(newId('evt', 1_700_000_000_000))).toBe(1_700_000_000_000);
    for (const other of ['evt_0123456789012345678901', 'evt_', '', 'evt_zzzzzzzzzzzzzzzzzzzzzzzzzz']) {
      expect(timeOfId(other)).toBeUndefined();
    }
  });
});
