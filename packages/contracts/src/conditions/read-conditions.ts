import { instantSchema } from '../instant.ts';
import { visibleText } from '../text.ts';
import { type Field, type Operator, operatorsOf } from './fields.ts';
import { suggestion } from './suggestion.ts';

/** The most conditions of a filter, those in `any` and `not` included. */
export const maxConditions = 20;

/** The most characters that texts are searched for, of all conditions together: each costs at its first evaluation. */
export const maxSearchedCharacters = 500;

/** What a field is compared with: for `in` and `nin` a list. */
type Operand = boolean | number | string | Date;

/** A field, and what must hold of its value. */
export type Condition = {
  readonly field: Field;
} & (
  | { readonly operator: 'exists'; readonly value: boolean }
  | { readonly operator: 'starts_with' | 'contains'; readonly value: string }
  | { readonly operator: 'in' | 'nin'; readonly value: readonly Operand[] }
  | { readonly operator: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte'; readonly value: Operand }
);

/** Conditions of a filter: those of `all` hold, those of a list of `any` (where there is one), and not all of `not`. */
export type Conditions = {
  readonly all: readonly Condition[];
  readonly any: readonly (readonly Condition[])[];
  /** Empty: excludes nothing. */
  readonly not: readonly Condition[];
};

/** What is wrong with a filter: the names that lead there, and a predicate. */
type Problem = { readonly path: readonly string[]; readonly message: string };

/** Reads a filter of a value with these fields: its conditions, or all that is wrong with it. */
export function readConditions(
  filter: unknown,
  fields: ReadonlyMap<string, Field>,
): { readonly conditions: Conditions } | { readonly problems: readonly Problem[] } {
  if (conditionsIn(filter) > maxConditions) {
    return { problems: [{ path: [], message: `must have at most ${maxConditions} conditions` }] };
  }
  const problems: Problem[] = [];
  const known = [...fields.values()].flatMap(({ path, refused }) => (refused === undefined ? path : []));
  const refuse = (path: readonly string[], message: string): [] => {
    problems.push({ path, message });
    return [];
  };

  const readAll = (given: unknown, path: readonly string[]): Condition[] =>
    membersOf(given).length === 0
      ? refuse(path, 'must be an object with at least one condition')
      : membersOf(given).flatMap(([name, comparisons]) => readField(name, comparisons, [...path, name]));

  const readField = (name: string, comparisons: unknown, path: readonly string[]): Condition[] => {
    const field = fields.get(name);
    if (field === undefined) return refuse(path, `is not known${suggestion(name, known)}`);
    if (field.refused !== undefined) return refuse(path, field.refused);
    const operators: readonly Operator[] = operatorsOf[field.kind];
    if (membersOf(comparisons).length === 0) {
      return refuse(path, `must be an object with at least one of ${operators.join(', ')}`);
    }
    return membersOf(comparisons).flatMap(([operator, value]) => {
      const known = operators.find((each) => each === operator);
      if (known === undefined) {
        const others = suggestion(operator, operators) || `; use ${operators.join(', ')}`;
        return refuse([...path, operator], `is not an operator of this field${others}`);
      }
      const condition = readCondition(field, known, value);
      return typeof condition === 'string' ? refuse([...path, operator], condition) : [condition];
    });
  };

  const { any, not, ...own } = Object.fromEntries(membersOf(filter));
  const hasOthers = any !== undefined || not !== undefined;
  if (any !== undefined && (!Array.isArray(any) || any.length === 0)) {
    refuse(['any'], 'must be a list of at least one object');
  }
  const conditions = {
    all: hasOthers && Object.keys(own).length === 0 ? [] : readAll(own, []),
    any: Array.isArray(any) ? any.map((each, index) => readAll(each, ['any', String(index)])) : [],
    not: not === undefined ? [] : readAll(not, ['not']),
  };
  const searchedFor = [...conditions.all, ...conditions.any.flat(), ...conditions.not].reduce(
    (sum, { operator, value }) =>
      operator === 'contains' || operator === 'starts_with' ? sum + value.length : sum,
    0,
  );
  if (searchedFor > maxSearchedCharacters) {
    refuse([], `must have at most ${maxSearchedCharacters} characters in contains and starts_with together`);
  }
  return problems.length > 0 ? { problems } : { conditions };
}

/** How many conditions a filter has. An object without any counts as one. */
function conditionsIn(filter: unknown): number {
  const inGroup = (group: unknown) =>
    membersOf(group).reduce((sum, [, comparisons]) => sum + Math.max(1, membersOf(comparisons).length), 0);
  const { any, not, ...fields } = Object.fromEntries(membersOf(filter));
  const alternatives = Array.isArray(any)
    ? any.reduce<number>((sum, each) => sum + (inGroup(each) || 1), 0)
    : 0;
  return alternatives + inGroup(not) + inGroup(fields);
}

function membersOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

const searched = visibleText(200).refine((text) => text.isWellFormed());

/** A condition, or a predicate that says why there is none. */
function readCondition(field: Field, operator: Operator, value: unknown): Condition | string {
  switch (operator) {
    case 'exists':
      return typeof value === 'boolean' ? { field, operator, value } : 'must be true or false';
    case 'starts_with':
    case 'contains': {
      const text = searched.safeParse(value);
      return text.success
        ? { field, operator, value: text.data }
        : 'must be a text of 1 to 200 visible characters';
    }
    case 'in':
    case 'nin': {
      const list = Array.isArray(value) ? value.map((each) => readOperand(field, each)) : [];
      const isWhole = list.length > 0 && list.every((each) => each !== undefined);
      return isWhole
        ? { field, operator, value: list }
        : `must be a list, and each entry ${expectedOf(field)}`;
    }
    case 'eq':
    case 'ne':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const operand = readOperand(field, value);
      return operand === undefined ? `must be ${expectedOf(field)}` : { field, operator, value: operand };
    }
  }
}

function readOperand({ kind, values }: Field, value: unknown): Operand | undefined {
  if (kind === 'number') return Number.isFinite(value) ? (value as number) : undefined;
  if (kind === 'boolean') return typeof value === 'boolean' ? value : undefined;
  if (typeof value !== 'string' || !value.isWellFormed()) return undefined;
  if (kind === 'instant') return instantSchema.safeParse(value).data;
  return values === undefined || values.includes(value) ? value : undefined;
}

function expectedOf({ kind, values }: Field): string {
  if (values !== undefined) return `one of ${values.join(', ')}`;
  switch (kind) {
    case 'boolean':
      return 'true or false';
    case 'instant':
      return 'a date or a timestamp with a time zone';
    case 'number':
      return 'a number';
    case 'choice':
    case 'list':
    case 'text':
      return 'a text';
  }
}
