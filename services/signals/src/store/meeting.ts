import { type Condition, type Field, textPattern } from '@sigcast/contracts';
import type { ListFilter } from '../domain/ports.ts';

/** What a document has to be so that its signal meets the conditions of a filter; says nothing where there are none. */
export function meeting({ conditions }: Pick<ListFilter, 'conditions'>): { $and?: object[] } {
  if (conditions === undefined) return {};
  const { all, any, not } = conditions;
  const together = (group: readonly Condition[]) => ({ $and: group.map(clauseOf) });
  return {
    $and: [
      ...all.map(clauseOf),
      ...(any.length === 0 ? [] : [{ $or: any.map(together) }]),
      ...(not.length === 0 ? [] : [{ $nor: [together(not)] }]),
    ],
  };
}

function clauseOf(condition: Condition): object {
  const { field, operator } = condition;
  switch (operator) {
    case 'exists':
      // Null, which both match, counts as missing.
      return stored(field, condition.value ? { $ne: null } : { $eq: null });
    case 'starts_with':
    case 'contains':
      return stored(field, { $regex: textPattern(condition) });
    case 'in':
    case 'nin':
      return compared(field, { [`$${operator}`]: condition.value.map((value) => storedValue(field, value)) });
    case 'eq':
    case 'ne':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return compared(field, { [`$${operator}`]: storedValue(field, condition.value) });
  }
}

/** Fields of a signal that documents have by another name. */
const storedNames = new Map([
  ['id', '_id'],
  ['performance.status', 'status'],
]);

const stored = ({ path }: Field, test: object) => ({ [storedNames.get(path) ?? path]: test });

/** Fields of documents that hold the key of another one. */
const keyNames = new Map([
  ['token.contract', 'contract_key'],
  ['token.symbol', 'symbol_key'],
]);

const compared = (field: Field, test: object) => {
  const name = keyNames.get(field.path);
  return name === undefined ? stored(field, test) : { [name]: test };
};

/** Documents have the instants of a signal itself as dates, and those within its members as texts, in UTC. */
function storedValue({ path, keyOf }: Field, value: boolean | number | string | Date) {
  if (keyOf !== undefined && typeof value === 'string') return keyOf(value);
  return value instanceof Date && path.includes('.') ? value.toISOString() : value;
}
