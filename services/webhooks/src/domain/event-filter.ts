import { eventConditionFields, matcherOfFilter, type SignalAtEvent } from '@sigcast/contracts';

/** Whether an event's signal meets the conditions of a filter, which is a text in JSON, as it is stored. */
export type EventFilter = (filter: string, signal: SignalAtEvent) => boolean;

/** The most characters of filters whose matchers are kept, some 20 bytes each; of a hostile one up to 70. */
const defaultMaxCharacters = 4_000_000;

/**
 * Of the filters that find no room, one in so many takes that of the oldest. If each did, events that all filters are asked about
 * in turn would find none of them.
 */
const replacesOneIn = 100;

/** Evaluates filters of subscriptions. Each is read once, not for each event, while there is room for its matcher. */
export function eventFilter(maxCharacters = defaultMaxCharacters): EventFilter {
  const matchers = new Map<string, ReturnType<typeof readFilter>>();
  let characters = 0;
  let withoutRoom = 0;
  return (filter, signal) => {
    let matcher = matchers.get(filter);
    if (matcher === undefined) {
      matcher = readFilter(filter);
      const fits = characters + filter.length <= maxCharacters;
      if (!fits && ++withoutRoom % replacesOneIn !== 0) return matcher(signal);
      matchers.set(filter, matcher);
      characters += filter.length;
      for (const oldest of matchers.keys()) {
        if (characters <= maxCharacters) break;
        matchers.delete(oldest);
        characters -= oldest.length;
      }
    }
    return matcher(signal);
  };
}

/** The matcher of a filter as it is stored. */
export function readFilter(filter: string): (signal: SignalAtEvent) => boolean {
  return matcherOfFilter(JSON.parse(filter), eventConditionFields);
}
