import { type Condition, type SignalFilter, signalStatuses, signalTypes } from '@sigcast/contracts';

/**
 * A filter that leaves fewer signals for conditions to be applied to: what an index serves of the conditions that all must
 * hold. The conditions are still applied, so that a rough bound is enough.
 */
export function narrowed(filter: SignalFilter, conditions: readonly Condition[]): SignalFilter {
  let narrow = filter;
  for (const condition of conditions) narrow = { ...narrow, ...boundOf(condition, narrow) };
  return narrow;
}

function boundOf({ field, operator, value }: Condition, filter: SignalFilter): SignalFilter {
  const wanted = operator === 'eq' ? [value] : operator === 'in' ? value : undefined;
  const among = <T>(all: readonly T[], chosen = all) =>
    chosen.filter((each) => wanted?.some((own) => own === each));
  if (field.path === 'created_at') return timeBound(operator, value, filter);
  if (wanted === undefined) return {};
  switch (field.path) {
    case 'type':
      return { types: among(signalTypes, filter.types) };
    case 'performance.status':
      return { statuses: among(signalStatuses, filter.statuses) };
    case 'token.chain':
      return operator === 'eq' ? { chain: filter.chain ?? String(value) } : {};
    case 'token.contract':
      return operator === 'eq' ? { contract: filter.contract ?? String(value) } : {};
    case 'token.symbol':
      return operator === 'eq' ? { symbol: filter.symbol ?? String(value) } : {};
    default:
      return {};
  }
}

/** Times are whole milliseconds: from an instant on is after the millisecond before it. */
function timeBound(
  operator: Condition['operator'],
  value: Condition['value'],
  { createdAfter, createdUntil }: SignalFilter,
): SignalFilter {
  if (!(value instanceof Date)) return {};
  const [at, before] = [value, new Date(value.getTime() - 1)];
  const after = { gt: at, gte: before, eq: before }[operator as string];
  const until = { lt: before, lte: at, eq: at }[operator as string];
  return {
    ...(after !== undefined && {
      createdAfter: createdAfter !== undefined && createdAfter > after ? createdAfter : after,
    }),
    ...(until !== undefined && {
      createdUntil: createdUntil !== undefined && createdUntil < until ? createdUntil : until,
    }),
  };
}
