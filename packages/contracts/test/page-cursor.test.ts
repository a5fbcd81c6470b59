import { describe, expect, it } from '@jest/globals';
import { decodeCursor, encodeCursor } from '../src/page-cursor.ts';

const sampleId = 'sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z';
const cursor = { after: { createdAt: new Date('2026-03-01T12:00:00.123Z'), id: sampleId }, page: 7 };

describe('a cursor', () => {
  it('comes back as what it was made of', () => {
    expect(decodeCursor(encodeCursor(cursor))).toEqual(cursor);
  });

  it('is safe in a query string', () => {
    expect(encodeCursor(cursor)).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it.each([
    ['an ordinary word', 'next'],
    ['nothing inside', Buffer.from('..').toString('base64url')],
    ['another id', Buffer.from('1.wh_01J9ZQ6W8T3M5N7P9R1S3V5X7Z.2').toString('base64url')],
    ['page 0', Buffer.from(`1.${sampleId}.0`).toString('base64url')],
    ['a padded one', `${encodeCursor(cursor)}==`],
    ['one with something behind it', `${encodeCursor(cursor)}!`],
  ])('is refused when it is %s', (_, text) => {
    expect(decodeCursor(text)).toBeUndefined();
  });
});
