import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { SignalType, WebhookEventType } from '@sigcast/client';
import { keepPreviousData } from '@tanstack/react-query';
import { problemOf } from '../../api/use-action.ts';
import { useData } from '../../api/use-answer.ts';
import { type Filter, sentenceOf } from './filter-rows.ts';

/** How long nothing must be typed before a filter is tried, in milliseconds: an account's tabs share 120 requests a minute. */
const typingPauseMs = 700;

/** How many of the newest events meet a filter. */
export function FilterTrial(props: { filter: Filter; events: readonly string[]; types: readonly string[] }) {
  const [asked] = useDebouncedValue(JSON.stringify(props), typingPauseMs);
  const { filter, events, types } = JSON.parse(asked) as typeof props;
  const ofSignals = events.filter((event) => event.startsWith('signal.')) as WebhookEventType[];
  const trial = useData(
    (api, options) =>
      api.events.tryFilter(
        {
          filter,
          ...(ofSignals.length > 0 && { events: ofSignals }),
          ...(types.length > 0 && { types: types as SignalType[] }),
        },
        options,
      ),
    { queryKey: ['filter', asked], placeholderData: keepPreviousData, retry: false },
  );
  return (
    <Text size="sm" role="status" {...(trial.error && { c: 'red' })}>
      {trial.error
        ? problemOf(trial.error)
        : trial.data === undefined
          ? 'Counting …'
          : sentenceOf(trial.data)}
    </Text>
  );
}
