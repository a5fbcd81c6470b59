import { describe, expect, it } from 'vitest';
import { recently } from '../src/index.ts';

describe('what happened recently', () => {
  it('something is recent for the given time after each note, and not before the first', () => {
    let nowMs = 0;
    const seen = recently(10_000, () => nowMs);
    expect(seen.isRecent).toBe(false);
    seen.note();
    nowMs = 9_000;
    expect(seen.isRecent).toBe(true);
    seen.note();
    nowMs = 18_999;
    expect(seen.isRecent).toBe(true);
    nowMs = 19_000;
    expect(seen.isRecent).toBe(false);
  });
});
