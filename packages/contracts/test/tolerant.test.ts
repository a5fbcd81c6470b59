import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { tolerant } from '../src/tolerant.ts';

const inner = z.strictObject({ known: z.string() });
const more = { known: 'a', more: 1 };
const known = { known: 'a' };

const places: readonly (readonly [string, z.ZodType, unknown, unknown])[] = [
  ['the whole', inner, more, known],
  ['a member', z.strictObject({ of: inner }), { of: more }, { of: known }],
  ['a list', z.array(inner), [more], [known]],
  ['a member that may be absent', z.strictObject({ of: inner.optional() }), { of: more }, { of: known }],
  ['a member that may be null', z.strictObject({ of: inner.nullable() }), { of: more }, { of: known }],
  ['alternatives', z.union([z.int(), inner]), more, known],
  ['a map', z.record(z.string(), inner), { one: more }, { one: known }],
];

describe('a tolerant reader', () => {
  it.each(places)('a tolerant reader removes an unknown member of %s', (_place, schema, sent, read) => {
    expect(schema.safeParse(sent).success).toBe(false);
    expect(tolerant(schema).parse(sent)).toEqual(read);
  });

  it.each(places)('a tolerant reader refuses a wrong value in %s', (_place, schema, sent) => {
    const wrong = JSON.parse(JSON.stringify(sent).replace('"a"', '7')) as unknown;
    expect(tolerant(schema).safeParse(wrong).success).toBe(false);
  });

  it('a tolerant reader accepts absent and null members where the schema does', () => {
    const schema = z.strictObject({ absent: inner.optional(), none: inner.nullable() });
    expect(tolerant(schema).parse({ none: null })).toEqual({ none: null });
  });
});
