import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bearerToken, createApiKey, parseApiKey } from '../src/domain/api-key.ts';
import { base62, smallBase62 } from '../src/domain/base62.ts';
import { checksum } from '../src/domain/checksum.ts';

const account = 'acct_01J9ZQ6W8T3M5N7P9R1S3V5X7Z';

describe('API keys', () => {
  it('contain the id of their account, and are parsed to it and their hash', () => {
    const key = createApiKey(account);
    expect(key.text).toMatch(/^sk_01J9ZQ6W8T3M5N7P9R1S3V5X7Z_[0-9A-Za-z]{39}$/);
    expect(parseApiKey(key.text)).toEqual({ account, sha256: key.sha256 });
    expect(key.text.endsWith(key.last)).toBe(true);
    expect(key.text).toContain(`_${key.first}`);
  });

  it('have one length for any 192 random bits, and differ each time', () => {
    const lowest = createApiKey(account, (size) => Buffer.alloc(size, 0));
    const highest = createApiKey(account, (size) => Buffer.alloc(size, 255));
    expect(parseApiKey(lowest.text)).toBeDefined();
    expect(parseApiKey(highest.text)).toBeDefined();
    expect(lowest.text).toHaveLength(highest.text.length);
    expect(new Set(Array.from({ length: 500 }, () => createApiKey(account).sha256)).size).toBe(500);
  });

  it('with a single mistyped character are refused without a look-up', () => {
    const { text } = createApiKey(account);
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom(...'0123456789ABCXYZabcxyz_'), (at, typed) => {
        const mistyped = text.slice(0, at) + typed + text.slice(at + 1);
        expect(parseApiKey(mistyped) === undefined).toBe(mistyped !== text);
      }),
    );
  });

  it.each([
    '',
    'sk_',
    'sk_live_123',
    `sk_01J9ZQ6W8T3M5N7P9R1S3V5X7Z_${'a'.repeat(39)}`,
    `${createApiKey(account).text} `,
    `${createApiKey(account).text}0`,
    createApiKey(account).text.toLowerCase(),
  ])('are never parsed from a text of another form: %j', (text) => {
    expect(parseApiKey(text)).toBeUndefined();
  });

  it('end with the CRC-32 of the text before it, in base 62', () => {
    expect(checksum('123456789')).toBe(base62(0xcbf43926n, 6)); // the check value in catalogues of CRC algorithms
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (value) => {
        expect(smallBase62(value, 6)).toBe(base62(BigInt(value), 6));
      }),
    );
  });
});

describe('the Authorization header', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER   abc ', 'abc'],
    ['Basic abc', undefined],
    ['Bearer', undefined],
    ['Bearer a b', undefined],
    ['abc', undefined],
    [undefined, undefined],
  ])('%j has the bearer token %j', (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });
});
