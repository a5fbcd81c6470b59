import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fieldsOf, operatorsOf } from '../src/conditions/fields.ts';
import { matcherOf } from '../src/conditions/matcher.ts';
import { maxConditions, readConditions } from '../src/conditions/read-conditions.ts';
import {
  conditionsText,
  creationConditionFields,
  eventConditionFields,
  signalConditionFields,
} from '../src/conditions/signal-conditions.ts';
import { originSchema } from '../src/resources/origin.ts';
import { shownSignalSchema } from '../src/resources/outcome.ts';
import { signalAtEventSchema } from '../src/resources/signal.ts';
import { sampleOf } from '../src/sample.ts';

const signalConditionsText = conditionsText(signalConditionFields);
const signal = { ...sampleOf(shownSignalSchema), origin: sampleOf(originSchema), realizable: null };

const otherCase = (text: string) =>
  text.replace(/[a-z]+|[A-Z]+/g, (part) =>
    part === part.toLowerCase() ? part.toUpperCase() : part.toLowerCase(),
  );

function problemsOf(filter: unknown): string[] {
  const read = readConditions(filter, signalConditionFields);
  if (!('problems' in read)) throw new Error('has no problem');
  return read.problems.map(({ path, message }) => `${['filter', ...path].join('.')} ${message}`);
}

describe('conditions', () => {
  it.each<[object, boolean]>([
    [{ 'metrics.mcap_entry': { gte: 100_000, lt: 100_001 } }, true],
    [{ 'metrics.mcap_entry': { gt: 100_000 } }, false],
    [{ 'token.chain': { in: ['solana', 'ethereum'] }, is_premium: { ne: true } }, true],
    [{ 'token.chain': { nin: ['solana', 'ethereum'] } }, false],
    [{ 'token.contract': { eq: otherCase(signal.token.contract) } }, true],
    [{ 'token.contract': { nin: [otherCase(signal.token.contract)] } }, false],
    [{ 'token.symbol': { in: [otherCase(signal.token.symbol)] } }, true],
    [{ 'token.symbol': { ne: otherCase(signal.token.symbol) } }, false],
    [{ 'token.name': { eq: otherCase(signal.token.name) } }, false],
    [{ 'token.name': { starts_with: 'nO' } }, true],
    [{ 'token.name': { starts_with: 'ova' } }, false],
    [{ 'token.name': { contains: 'OV' } }, true],
    [{ 'token.name': { contains: 'N.v' } }, false],
    [{ created_at: { gt: signal.created_at.replace('.000Z', '.001+00:00') } }, false],
    [{ created_at: { eq: signal.created_at.replace('Z', '+00:00') } }, true],
    [{ 'origin.sources': { in: ['dexscreener:boosts'] } }, true],
    [{ 'origin.sources': { nin: ['dexscreener:boosts'] } }, false],
    [{ 'origin.risks.honeypot': { exists: false } }, true],
    [{ 'origin.risks.honeypot': { eq: false } }, false],
    [{ 'origin.risks.honeypot': { ne: true } }, true],
    [{ 'realizable.roi': { lt: 1e9 } }, false],
    [{ 'realizable.exit': { nin: ['stop'] } }, true],
    [{ any: [{ type: { eq: '3d' } }, { 'metrics.holders': { gt: 1 } }] }, true],
    [{ any: [{ type: { eq: '3d' } }, { 'metrics.holders': { lt: 1 } }] }, false],
    [{ not: { type: { eq: signal.type }, 'metrics.holders': { gt: 1 } } }, false],
    [{ not: { type: { eq: signal.type }, 'metrics.holders': { lt: 1 } } }, true],
    [{ type: { eq: signal.type }, not: { 'metrics.holders': { lt: 1 } } }, true],
  ])('%j of the sample is %j', (filter, expected) => {
    const conditions = signalConditionsText.parse(JSON.stringify(filter));
    expect(matcherOf(conditions)(signal)).toBe(expected);
  });

  it.each([
    [
      { 'metrics.mcap_entry': { gtee: 1 } },
      'filter.metrics.mcap_entry.gtee is not an operator of this field; did you mean gte?',
    ],
    [{ mcap_entry: { gte: 1 } }, 'filter.mcap_entry is not known; did you mean metrics.mcap_entry?'],
    [
      { 'metrics.mcap_enty': { gte: 1 } },
      'filter.metrics.mcap_enty is not known; did you mean metrics.mcap_entry?',
    ],
    [{ 'outcome.rule': { eq: 'v1' } }, 'filter.outcome.rule is not known'],
    [{ 'metrics.holders': { gte: '1' } }, 'filter.metrics.holders.gte must be a number'],
    [{ is_premium: { gt: true } }, 'filter.is_premium.gt is not an operator of this field; did you mean eq?'],
    [
      { 'origin.sources': { contains: 'x' } },
      'filter.origin.sources.contains is not an operator of this field; use in, nin, exists',
    ],
    [
      { type: { in: ['new', 'old'] } },
      'filter.type.in must be a list, and each entry one of new, 3d, 7d, 30d, wallet, premium',
    ],
    [
      { type: { in: [] } },
      'filter.type.in must be a list, and each entry one of new, 3d, 7d, 30d, wallet, premium',
    ],
    [
      { created_at: { gt: 'yesterday' } },
      'filter.created_at.gt must be a date or a timestamp with a time zone',
    ],
    [
      {
        any: [
          { 'token.name': { contains: 'a'.repeat(200) } },
          { 'token.symbol': { contains: 'b'.repeat(200) } },
        ],
        not: { 'token.name': { starts_with: 'c'.repeat(101) } },
      },
      'filter must have at most 500 characters in contains and starts_with together',
    ],
    [
      { 'token.name': { contains: '\u0000' } },
      'filter.token.name.contains must be a text of 1 to 200 visible characters',
    ],
    [{ 'token.name': { eq: '\ud800' } }, 'filter.token.name.eq must be a text'],
    [
      { 'token.name': { starts_with: '\ud800' } },
      'filter.token.name.starts_with must be a text of 1 to 200 visible characters',
    ],
    [{ 'metrics.holders': { lt: Number.POSITIVE_INFINITY } }, 'filter.metrics.holders.lt must be a number'],
    [
      { 'token.name': {} },
      'filter.token.name must be an object with at least one of eq, ne, in, nin, exists, starts_with, contains',
    ],
    [{}, 'filter must be an object with at least one condition'],
    [[], 'filter must be an object with at least one condition'],
    [{ any: [] }, 'filter.any must be a list of at least one object'],
    [{ any: [{}] }, 'filter.any.0 must be an object with at least one condition'],
    [{ not: { not: { type: { eq: 'new' } } } }, 'filter.not.not is not known'],
  ])('%j is refused by its path', (filter, problem) => {
    expect(problemsOf(filter)).toEqual([problem]);
  });

  it('a filter names all that is wrong with it, and has at most twenty conditions, however they are spread', () => {
    expect(problemsOf({ a: {}, not: { b: {} }, any: [{ c: {} }, 1] })).toHaveLength(4);
    const some = { 'metrics.holders': { gt: 1, lt: 9 } };
    const many = (count: number) => ({ any: Array.from({ length: count }, () => some) });
    expect('conditions' in readConditions(many(maxConditions / 2), signalConditionFields)).toBe(true);
    expect(problemsOf({ ...many(maxConditions / 2), type: {} })).toEqual([
      'filter must have at most 20 conditions',
    ]);
    expect(problemsOf({ any: Array.from({ length: 21 }, () => ({})) })).toHaveLength(1);
  });

  it.each([
    ['a field twice', '{"type":{"eq":"new"},"type":{"eq":"3d"}}', 'must not have a name twice in an object'],
    [
      'an operator twice',
      '{"any":[{"type":{"in":["new"],"in" :["3d"]}}]}',
      'must not have a name twice in an object',
    ],
    [
      'too many bytes',
      `{"token.name":{"eq":"${'ñ'.repeat(1_000)}"}}`,
      'must be at most 6,000 bytes long, percent-encoded',
    ],
    [
      'half a character',
      '{"token.name":{"eq":"\ud800"}}',
      'must be JSON, such as {"token.chain":{"eq":"solana"}}',
    ],
  ])('a text with %s is refused', (_, text, message) => {
    expect(signalConditionsText.safeParse(text).error?.issues).toMatchObject([{ path: [], message }]);
  });

  it('a text may have equal names in several objects, and values that look like names', () => {
    const text = String.raw`{"any":[{"type":{"eq":"new"}},{"type":{"eq":"3d"}}],"token.name":{"in":["type",":\":","\\"],"eq":"ñ"}}`;
    expect(signalConditionsText.safeParse(text).success).toBe(true);
  });

  it('a new field of a schema can be filtered on by its path, without a further line', () => {
    const colour = z.object({ shade: z.number().nullish() });
    const fields = fieldsOf(signalAtEventSchema.extend({ colour }));
    const read = readConditions({ 'colour.shade': { gt: 3 } }, fields);
    if (!('conditions' in read)) throw new Error('was refused');
    const shades = [{ shade: 4 }, { shade: 3 }, { shade: null }, {}];
    expect(shades.map((each) => matcherOf(read.conditions)({ colour: each }))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('conditions on events name every field that an event has, and those of a backtest what a new signal has', () => {
    const named = (fields: typeof eventConditionFields) =>
      [...fields.values()].flatMap(({ path, refused }) => (refused === undefined ? path : [])).sort();
    const ofEvents = [...fieldsOf(signalAtEventSchema).keys()].sort();
    expect(named(eventConditionFields)).toEqual(ofEvents);
    const later = (path: string) => path.startsWith('performance.') || path === 'metrics.mcap_ath';
    expect(named(creationConditionFields)).toEqual(ofEvents.filter((path) => !later(path)));
  });

  it('every member of a signal is a field with operators, but how its status was decided', () => {
    const all = [...fieldsOf(shownSignalSchema).values()];
    const others = all.filter(({ path }) => !path.startsWith('outcome.'));
    expect(others.map(({ path }) => path)).toEqual([...signalConditionFields.keys()]);
    expect(others.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'id',
        'performance.ath_roi',
        'token.socials.twitter',
        'origin.risks.top10_share',
      ]),
    );
    expect(others.every(({ kind }) => operatorsOf[kind].length > 2)).toBe(true);
  });
});
