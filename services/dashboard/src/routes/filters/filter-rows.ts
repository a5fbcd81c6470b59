import { eventFilterFields, type FilterField, type TriedFilter } from '@sigcast/client';
import { operatorsOf } from '@sigcast/contracts';
import { count } from '../../ui/format.ts';

/** A filter as the API takes it. */
export type Filter = Readonly<Record<string, unknown>>;

/** A condition of the form. `texts`: what is compared with, as typed; several only where an operator takes a list. */
export type Row = {
  readonly id: number;
  readonly path: string;
  readonly operator: Operator;
  readonly texts: readonly string[];
};

type Operator = (typeof operatorsOf)[FilterField['kind']][number];

/** What people read for an operator. */
export const operatorWords: Readonly<Record<Operator, string>> = {
  eq: 'is',
  ne: 'is not',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  in: 'is one of',
  nin: 'is none of',
  exists: 'is known',
  starts_with: 'begins with',
  contains: 'contains',
};

/** The paths of the fields that conditions can name. */
export const filterPaths = Object.keys(eventFilterFields);

/** Of these, the paths of what is known when a signal is created. */
export const creationFilterPaths = filterPaths.filter(
  (path) => !path.startsWith('performance.') && path !== 'metrics.mcap_ath',
);

export function fieldOf(path: string): FilterField {
  return eventFilterFields[path] ?? { kind: 'text' };
}

export function operatorsFor(path: string): readonly Operator[] {
  return operatorsOf[fieldOf(path).kind];
}

/** Whether an operator compares with several values. */
export function takesSeveral(operator: Operator): boolean {
  return operator === 'in' || operator === 'nin';
}

/** A row for another field: with the operator and the values that the row had, where the field can have them. */
export function withField(row: Row, path: string): Row {
  const operators = operatorsFor(path);
  const isSameKind = fieldOf(path).kind === fieldOf(row.path).kind && fieldOf(path).values === undefined;
  const operator = operators.find((one) => one === row.operator) ?? operators[0] ?? 'eq';
  return { ...row, path, operator, texts: isSameKind && operator === row.operator ? row.texts : [] };
}

/** The rows of a filter; undefined where rows can't show it: it has alternatives, or the API would refuse it. */
export function rowsOf(filter: Filter | null): readonly Row[] | undefined {
  const rows = Object.entries(filter ?? {}).flatMap(([path, comparisons]) =>
    Object.entries(comparisons ?? {}).map(([operator, value]: [string, unknown]) => ({
      path,
      operator: operator as Operator,
      texts: [value].flat().map(String),
    })),
  );
  const isShown = rows.every(
    ({ path, operator }) => path in eventFilterFields && operatorsFor(path).includes(operator),
  );
  const numbered = rows.map((row, id) => ({ ...row, id }));
  return isShown && JSON.stringify(filterOf(numbered)) === JSON.stringify(filter) ? numbered : undefined;
}

/** The filter that rows make, null for none; undefined while a row is not complete, or two say the same. */
export function filterOf(rows: readonly Row[]): Filter | null | undefined {
  const filter: Record<string, Record<string, unknown>> = {};
  for (const { path, operator, texts } of rows) {
    const values = texts.map((text) =>
      typedValue(text, operator === 'exists' ? 'boolean' : fieldOf(path).kind),
    );
    const comparisons = filter[path] ?? {};
    if (values.length === 0 || values.includes(undefined) || operator in comparisons) return undefined;
    filter[path] = { ...comparisons, [operator]: takesSeveral(operator) ? values : values[0] };
  }
  return rows.length === 0 ? null : filter;
}

function typedValue(text: string, kind: FilterField['kind']): boolean | number | string | undefined {
  if (text.trim() === '') return undefined;
  if (kind === 'boolean') return text === 'true';
  if (kind !== 'number') return text;
  const number = Number(text.replaceAll(',', ''));
  return Number.isFinite(number) ? number : undefined;
}

/** The filter in a text in JSON, null where the text is empty; undefined where it is no object in JSON. */
export function filterIn(text: string): Filter | null | undefined {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Filter)
      : undefined;
  } catch {
    return undefined;
  }
}

/** What a trial has shown. */
export function sentenceOf({ matched, tried }: TriedFilter): string {
  if (tried === 0) return 'There are no such events yet to try these conditions on.';
  if (tried === 1)
    return `The only such event ${matched === 1 ? 'meets' : 'does not meet'} these conditions.`;
  return `${count(matched)} of the last ${count(tried)} events ${matched === 1 ? 'meets' : 'meet'} these conditions.`;
}
