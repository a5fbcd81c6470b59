import type { Condition, Conditions } from './read-conditions.ts';

type Test = (value: unknown) => boolean;

/**
 * Makes a function that says whether a value meets conditions. A field that is missing or null meets `exists: false`, `ne` and
 * `nin`, and no other condition.
 */
export function matcherOf({ all, any, not }: Conditions): (value: object) => boolean {
  const tests = all.map(testOf);
  const alternatives = any.map((group) => group.map(testOf));
  const exclusion = not.map(testOf);
  return (value) => {
    const holds = (test: Test) => test(value);
    const isExcluded = exclusion.length > 0 && exclusion.every(holds);
    return (
      !isExcluded &&
      tests.every(holds) &&
      (alternatives.length === 0 || alternatives.some((group) => group.every(holds)))
    );
  };
}

/**
 * The regular expression of `starts_with` and `contains`. A letter is a class of its upper and lower case, so that it means the
 * same to every engine, without a flag. Alternatives in place of classes would cost a hundred times as much where much of a
 * text nearly matches.
 */
export function textPattern({
  operator,
  value,
}: Extract<Condition, { operator: 'starts_with' | 'contains' }>): string {
  const characters = Array.from(value, (character) => {
    const cases = new Set([character, character.toLowerCase(), character.toUpperCase()]);
    // Some have an upper case of two characters.
    const ofOneCharacter = [...cases].filter((each) => [...each].length === 1);
    // What has a special meaning has no case.
    return ofOneCharacter.length > 1
      ? `[${ofOneCharacter.join('')}]`
      : character.replace(/[\\^$.*+?()[\]{}|]/, '\\$&');
  });
  return `${operator === 'starts_with' ? '^' : ''}${characters.join('')}`;
}

function testOf(condition: Condition): Test {
  const { path, kind } = condition.field;
  const names = path.split('.');
  const comparison = comparisonOf(condition);
  return (value) => {
    let found: unknown = value;
    for (const name of names) found = (found as Record<string, unknown> | null | undefined)?.[name];
    return comparison(
      kind === 'instant' && typeof found === 'string' ? Date.parse(found) : (found ?? undefined),
    );
  };
}

/** The test of a field's value: undefined where the field is missing or null, and milliseconds for an instant. */
function comparisonOf(condition: Condition): Test {
  const { keyOf } = condition.field;
  const comparable = (value: unknown) => {
    if (value instanceof Date) return value.getTime();
    return (typeof value === 'string' ? (keyOf?.(value) ?? value) : value) as Value;
  };
  switch (condition.operator) {
    case 'exists':
      return (value) => (value !== undefined) === condition.value;
    case 'starts_with':
    case 'contains': {
      const pattern = new RegExp(textPattern(condition), 'u');
      return (value) => typeof value === 'string' && pattern.test(value);
    }
    case 'in':
    case 'nin': {
      const wanted = new Set<unknown>(condition.value.map(comparable));
      const isWanted = condition.operator === 'in';
      return (value) =>
        (Array.isArray(value) ? value.some((entry) => wanted.has(entry)) : wanted.has(comparable(value))) ===
        isWanted;
    }
    case 'eq':
    case 'ne':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const wanted = comparable(condition.value);
      const order = orders[condition.operator];
      return (value) => order(comparable(value), wanted);
    }
  }
}

type Value = boolean | number | string;

/** Every comparison with undefined is false, but that of `ne`. */
const orders: Readonly<Record<'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte', (a: Value, b: Value) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  gt: (a, b) => a > b,
  gte: (a, b) => a >= b,
  lt: (a, b) => a < b,
  lte: (a, b) => a <= b,
};
