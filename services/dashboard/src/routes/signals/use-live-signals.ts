import { focusManager, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { queryKeys } from '../../api/queries.ts';
import { type Stream, useEvents } from '../../api/use-events.ts';
import type { Received } from './live-signals.ts';

/**
 * How long after an event or a gap the list and the figures are requested again, because events tell nothing about later rows
 * and figures. Further events do not postpone it. On a busy feed that is all that a tab requests: 2 requests a minute.
 */
const askAgainMs = 60_000;
/** The most events that are kept: more than a feed brings between two answers. The next answer has the effect of others. */
const mostKept = 300;

/** Follows events while signals are shown. @returns the events that answers may not contain yet, oldest first. */
export function useLiveSignals(): { readonly stream: Stream; readonly events: readonly Received[] } {
  const queries = useQueryClient();
  const [events, setEvents] = useState<readonly Received[]>([]);
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const askLater = () => {
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined;
      // A hidden tab requests them when it is shown again.
      const refetchType = focusManager.isFocused() ? 'active' : 'none';
      void queries.invalidateQueries({ queryKey: queryKeys.signals, refetchType });
      void queries.invalidateQueries({ queryKey: queryKeys.stats, refetchType });
    }, askAgainMs);
  };
  const stream = useEvents({
    onEvent: ({ id: _id, ...payload }) => {
      setEvents((kept) => [...kept, { payload, atMs: performance.now() }].slice(-mostKept));
      void queries.invalidateQueries({ queryKey: ['signal', payload.data.id] });
      askLater();
    },
    onGap: askLater,
  });
  return { stream, events };
}
