import type { z } from 'zod';

/**
 * The message for an issue whose schema has no message of its own: a predicate that follows the field's name. Give this
 * function as `error` to a schema's `safeParse`.
 */
export function plainMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? 'something else'}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum), issue.inclusive ?? true);
    case 'too_big':
      return tooBig(issue.origin, Number(issue.maximum), issue.inclusive ?? true);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return formats[issue.format] ?? 'does not have the right form';
    case 'unrecognized_keys': // `issueDetails` of http has a message for each key
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return 'is not right';
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

const formats: Readonly<Record<string, string>> = {
  datetime: 'must be an ISO 8601 timestamp with a time zone, such as 2026-01-01T00:00:00Z',
  date: 'must be an ISO 8601 date, such as 2026-01-01',
  email: 'must be an e-mail address',
  url: 'must be a web address',
};

/** What a minimum or maximum counts, by the kind of value. */
const units: Readonly<Record<string, string>> = { string: 'character', array: 'entry' };

function tooSmall(origin: string, minimum: number, inclusive: boolean): string {
  if (units[origin] === undefined) return `must be ${inclusive ? 'at least' : 'above'} ${minimum}`;
  return minimum <= 1 ? 'must not be empty' : `must have at least ${counted(minimum, origin)}`;
}

function tooBig(origin: string, maximum: number, inclusive: boolean): string {
  if (units[origin] === undefined) return `must be ${inclusive ? 'at most' : 'below'} ${maximum}`;
  return `must have at most ${counted(maximum, origin)}`;
}

function counted(count: number, origin: string): string {
  const unit = units[origin] ?? 'element';
  if (count === 1) return `1 ${unit}`;
  return `${count} ${unit.endsWith('y') ? `${unit.slice(0, -1)}ies` : `${unit}s`}`;
}
