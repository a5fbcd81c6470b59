import { describe, expect, it } from 'vitest';
import {
  createApiKeySchema,
  createWebhookSchema,
  listSignalsQuerySchema,
  nameText,
  pastSignalsQuerySchema,
  plainText,
} from '../src/index.ts';

const hidden = [
  ['NUL', '\u0000'],
  ['a line break', '\n'],
  ['a change of direction', '\u202e'],
  ['a line separator', '\u2028'],
  ['a zero-width space', '\u200b'],
  ['a zero-width joiner', '\u200d'],
  ['a byte order mark', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['a filler', '\u3164'],
] as const;

describe('a name', () => {
  it.each(hidden)('with %s is refused, alone or inside', (_, character) => {
    expect(nameText(20).safeParse(`a${character}b`).success).toBe(false);
    expect(nameText(20).safeParse(character).success).toBe(false);
  });

  it.each(['Ape 🦍', '👨‍👩‍👧', '❤️', '1️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'Ünïcødé', '狗狗币'])('may be %s', (name) => {
    expect(nameText(40).parse(name)).toBe(name);
  });
});

it('a description may have line breaks and tabs, and no other hidden character', () => {
  expect(plainText(20).parse('one\n\ttwo 👨‍👩‍👧')).toBe('one\n\ttwo 👨‍👩‍👧');
  for (const text of ['\u0000', 'a\u200bb', 'a\u202eb'])
    expect(plainText(20).safeParse(text).success).toBe(false);
});

it('names of keys and descriptions of webhooks have no hidden character', () => {
  const [key, webhook] = [
    { name: 'a\u202eb' },
    { url: 'https://a.test', events: ['signal.new'], description: 'a\u202eb' },
  ];
  expect(createApiKeySchema.safeParse(key).error?.issues).toMatchObject([{ path: ['name'] }]);
  expect(createWebhookSchema.safeParse(webhook).error?.issues).toMatchObject([{ path: ['description'] }]);
});

it.each(hidden)('a list by symbol or contract refuses %s and names the parameter', (_, character) => {
  const asOf = { as_of: '2026-01-01' };
  for (const parameter of ['symbol', 'contract']) {
    const query = { [parameter]: `SOL${character}` };
    for (const { error } of [
      listSignalsQuerySchema.safeParse(query),
      pastSignalsQuerySchema.safeParse({ ...query, ...asOf }),
    ]) {
      expect(error?.issues).toMatchObject([
        { path: [parameter], message: 'must not have control, bidirectional or zero-width characters' },
      ]);
    }
  }
});
