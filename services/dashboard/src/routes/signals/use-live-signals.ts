import type { SignalListItem, WebhookPayload } from '@sigcast/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Answer } from '../../api/http.ts';
import { stored } from '../../api/queries.ts';
import type { SignalFilter } from '../../api/signal-filter.ts';
import { type StreamStatus, useEvents } from '../../api/use-events.ts';
import { afterEvent } from './live-signals.ts';

/**
 * Figures are asked for again this long after an event, several events in a row for one request. A tab that is open all
 * day must leave the account's 10,000 requests to its programs.
 */
const figuresAfterMs = 30_000;

/** Keeps what is shown of signals up to date while events come in. */
export function useLiveSignals(): StreamStatus {
  const queries = useQueryClient();
  const figures = useRef<number | undefined>(undefined);
  useEffect(() => () => clearTimeout(figures.current), []);

  const take = (payload: WebhookPayload) => {
    for (const [key, page] of queries.getQueriesData<Answer<SignalListItem[]>>({
      queryKey: stored.signals,
    })) {
      const [, filter] = key as [string, SignalFilter];
      if (page !== undefined) queries.setQueryData(key, afterEvent(page, filter, payload));
    }
    void queries.invalidateQueries({ queryKey: ['signal', payload.data.id] });
    figures.current ??= window.setTimeout(() => {
      figures.current = undefined;
      void queries.invalidateQueries({ queryKey: stored.stats });
    }, figuresAfterMs);
  };
  return useEvents(({ payload }) => take(payload));
}
