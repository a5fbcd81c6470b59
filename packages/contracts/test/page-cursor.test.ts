import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from '../src/page-cursor.ts';

const sampleId = 'sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z';
const cursor = { after: { createdAt: new Date('2026-03-01T12:00:00.123Z'), id: sampleId }, page: 7 };

describe('a cursor', () => {
  it('a decoded cursor equals the encoded one', () => {
    expect(decodeCursor(encodeCursor(cursor))).toEqual(cursor);
  });

  it.each([-99.99, 0, 12.5, 1e21, 5e-7, Number.MAX_SAFE_INTEGER])(
    'a decoded cursor of a sorted list equals the encoded one: %d',
    (value) => {
      const sorted = { ...cursor, after: { ...cursor.after, figure: { name: 'ath_roi', value } as const } };
      expect(decodeCursor(encodeCursor(sorted))).toEqual(sorted);
    },
  );

  it('a cursor needs no encoding in a query string', () => {
    expect(encodeCursor(cursor)).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it.each([
    ['an ordinary word', 'next'],
    ['three empty parts', Buffer.from('..').toString('base64url')],
    ['the id of a webhook', Buffer.from('1.wh_01J9ZQ6W8T3M5N7P9R1S3V5X7Z.2').toString('base64url')],
    ['page 0', Buffer.from(`1.${sampleId}.0`).toString('base64url')],
    ['an unknown figure', Buffer.from(`1.${sampleId}.2.holders:1`).toString('base64url')],
    ['a figure that is no number', Buffer.from(`1.${sampleId}.2.roi:1.2.3`).toString('base64url')],
    ['a padded cursor', `${encodeCursor(cursor)}==`],
    ['a cursor with a character behind it', `${encodeCursor(cursor)}!`],
  ])('decoding refuses %s', (_, text) => {
    expect(decodeCursor(text)).toBeUndefined();
  });
});
