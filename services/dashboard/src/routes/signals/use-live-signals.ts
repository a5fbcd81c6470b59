import { focusManager, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { stored } from '../../api/queries.ts';
import { type StreamStatus, useEvents } from '../../api/use-events.ts';
import type { Received } from './live-signals.ts';

/**
 * The list and the figures are asked for again this long after an event or a gap, whatever happens in between: events
 * say nothing of rows further down nor of figures. On a busy feed that is all that a tab asks, 2 requests a minute.
 */
const askAgainMs = 60_000;
/** More than a feed brings between two answers; of more, the next answer tells. */
const mostKept = 300;

/** Follows events while signals are shown. @returns those that answers may not know of yet, oldest first. */
export function useLiveSignals(): { readonly status: StreamStatus; readonly events: readonly Received[] } {
  const queries = useQueryClient();
  const [events, setEvents] = useState<readonly Received[]>([]);
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const askLater = () => {
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined;
      // A hidden tab asks when it is shown again.
      const refetchType = focusManager.isFocused() ? 'active' : 'none';
      void queries.invalidateQueries({ queryKey: stored.signals, refetchType });
      void queries.invalidateQueries({ queryKey: stored.stats, refetchType });
    }, askAgainMs);
  };
  const status = useEvents({
    onEvent: ({ payload }) => {
      setEvents((kept) => [...kept, { payload, atMs: performance.now() }].slice(-mostKept));
      void queries.invalidateQueries({ queryKey: ['signal', payload.data.id] });
      askLater();
    },
    onGap: askLater,
  });
  return { status, events };
}
