import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Field, operatorsOf } from '../src/conditions/fields.ts';
import { matcherOf } from '../src/conditions/matcher.ts';
import { readConditions } from '../src/conditions/read-conditions.ts';
import { signalConditionFields } from '../src/conditions/signal-conditions.ts';
import { contractKey, symbolKey } from '../src/token-keys.ts';

type Group = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
type Filter = { readonly any?: readonly Group[]; readonly not?: Group };

/** Whether a signal meets a filter, word by word as the guide says. */
function meets(signal: object, { any, not, ...own }: Filter): boolean {
  if (!meetsAll(signal, own as Group)) return false;
  if (any !== undefined && !any.some((group) => meetsAll(signal, group))) return false;
  return not === undefined || !meetsAll(signal, not);
}

function meetsAll(signal: object, group: Group): boolean {
  for (const [path, comparisons] of Object.entries(group)) {
    for (const [operator, wanted] of Object.entries(comparisons)) {
      if (!holds(valueAt(signal, path), operator, wanted, path)) return false;
    }
  }
  return true;
}

function valueAt(signal: object, path: string): unknown {
  const [first = '', ...rest] = path.split('.');
  const member = (signal as Record<string, unknown>)[first];
  if (rest.length === 0 || member === null || member === undefined) return member;
  return valueAt(member as object, rest.join('.'));
}

function holds(value: unknown, operator: string, wanted: unknown, path: string): boolean {
  const isKnown = value !== null && value !== undefined;
  if (operator === 'exists') return isKnown === wanted;
  if (operator === 'ne') return !holds(value, 'eq', wanted, path);
  if (operator === 'nin') return !holds(value, 'in', wanted, path);
  if (!isKnown) return false;
  if (operator === 'in' && Array.isArray(value)) {
    return value.some((each) => holds(each, 'in', wanted, path));
  }
  if (operator === 'in') return (wanted as unknown[]).some((each) => holds(value, 'eq', each, path));
  if (operator === 'eq') return comparable(value, path) === comparable(wanted, path);
  const [mine, theirs] = [comparable(value, path) as number, comparable(wanted, path) as number];
  if (operator === 'gt') return mine > theirs;
  if (operator === 'gte') return mine >= theirs;
  if (operator === 'lt') return mine < theirs;
  if (operator === 'lte') return mine <= theirs;
  const [text, part] = [[...String(value)], [...String(wanted)]];
  const isAt = (start: number) => part.every((character, n) => isSameLetter(text[start + n], character));
  if (operator === 'starts_with') return isAt(0);
  for (let start = 0; start + part.length <= text.length; start++) if (isAt(start)) return true;
  return false;
}

function isSameLetter(found: string | undefined, wanted: string): boolean {
  if (found === undefined) return false;
  return [wanted, wanted.toUpperCase(), wanted.toLowerCase()].includes(found);
}

function comparable(value: unknown, path: string): unknown {
  if (instants.has(path)) return new Date(String(value)).getTime();
  if (path === 'token.contract') return contractKey(String(value));
  if (path === 'token.symbol') return symbolKey(String(value));
  return value;
}

const fields = [...signalConditionFields.values()];
const instants = new Set(fields.flatMap(({ path, kind }) => (kind === 'instant' ? path : [])));

const texts = [
  '',
  'a',
  'WIF',
  'wif hat',
  'ÉCU',
  'écu',
  'straße',
  'STRASSE',
  'a.b',
  '$[x]^',
  '🦊',
  'ſ',
  'İ',
  '0xAb',
  '0xaB',
];
const times = ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', '2026-01-02T00:00:00.001Z'];

/** A value that a signal may have of a field, or a filter may compare it with. */
function anyValueOf({ kind, values }: Field): fc.Arbitrary<unknown> {
  switch (kind) {
    case 'boolean':
      return fc.boolean();
    case 'number':
      return fc.constantFrom(-5.5, 0, 0.5, 1, 50_000, 1e9);
    case 'instant':
      return fc.constantFrom(...times);
    case 'choice':
      return fc.constantFrom(...(values ?? []));
    case 'list':
      return fc.constantFrom(...(values ?? texts));
    case 'text':
      return fc.constantFrom(...texts);
  }
}

function operandOf(field: Field, operator: string): fc.Arbitrary<unknown> {
  if (operator === 'exists') return fc.boolean();
  if (operator === 'in' || operator === 'nin') {
    return fc.array(anyValueOf(field), { minLength: 1, maxLength: 3 });
  }
  if (operator === 'starts_with' || operator === 'contains') {
    return fc
      .tuple(fc.constantFrom(...texts.slice(1)), fc.nat(2), fc.nat(4))
      .map(([text, from, length]) => [...text].slice(from, from + length).join('') || 'e');
  }
  return anyValueOf(field);
}

const condition = fc
  .constantFrom(...fields)
  .chain((field) =>
    fc
      .constantFrom(...operatorsOf[field.kind])
      .chain((operator) =>
        operandOf(field, operator).map((operand) => ({ [field.path]: { [operator]: operand } })),
      ),
  );
const group = fc
  .array(condition, { minLength: 1, maxLength: 2 })
  .map((conditions): Group => Object.assign({}, ...conditions) as Group);
const filters = fc
  .record(
    { own: group, any: fc.array(group, { minLength: 1, maxLength: 3 }), not: group },
    { requiredKeys: [] },
  )
  .filter((parts) => Object.keys(parts).length > 0)
  .map(({ own, ...others }) => ({ ...own, ...others }) satisfies Filter);

/** A signal of which each member may have any value, be null, or be missing. */
const signals = fc
  .tuple(
    ...fields.map((field) =>
      fc.option(field.kind === 'list' ? fc.array(anyValueOf(field), { maxLength: 2 }) : anyValueOf(field), {
        freq: 8,
      }),
    ),
  )
  .map((values) => {
    const signal: Record<string, unknown> = {};
    for (const [n, { path }] of fields.entries()) {
      const names = path.split('.');
      const last = names.pop() ?? '';
      let parent = signal;
      for (const name of names) {
        parent[name] ??= {};
        parent = parent[name] as Record<string, unknown>;
      }
      // Some members are missing, and others null.
      if (values[n] !== null || n % 2 === 0) parent[last] = values[n];
    }
    return signal;
  });

it('a signal meets a filter where a second implementation says so, for 100,000 random filters and signals', () => {
  const some = fc.sample(signals, 300);
  let met = 0;
  fc.assert(
    fc.property(filters, fc.nat(some.length - 1), (filter, first) => {
      const read = readConditions(filter, signalConditionFields);
      if (!('conditions' in read)) throw new Error(JSON.stringify(read.problems));
      const matches = matcherOf(read.conditions);
      for (let n = 0; n < 25; n++) {
        const signal = some[(first + n) % some.length] ?? {};
        const expected = meets(signal, filter);
        if (matches(signal) !== expected) throw new Error(JSON.stringify({ signal, expected }));
        if (expected) met++;
      }
    }),
    { numRuns: 4_000 },
  );
  expect(met).toBeGreaterThan(10_000);
});
