import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type StreamStatus, useEvents } from '../../api/use-events.ts';
import { signalDeliveriesKey } from './signal-queries.ts';

/** What happened between the page's first answers and the opening of the stream is asked for after so long. */
const askAgainMs = 60_000;
/** By then an event's deliveries are in the log. */
const deliveriesAfterMs = 2_000;

/** Follows the events of one signal: what an event changes is asked for again. */
export function useFollowedSignal(id: string): StreamStatus {
  const queries = useQueryClient();
  const timers = useRef(new Set<number>());
  useEffect(() => {
    const running = timers.current;
    return () => {
      for (const timer of running) clearTimeout(timer);
    };
  }, []);
  const later = (afterMs: number, work: () => void) => {
    const timer = window.setTimeout(() => {
      timers.current.delete(timer);
      work();
    }, afterMs);
    timers.current.add(timer);
  };
  // The signal's events are kept below the same name.
  const askForSignal = () => void queries.invalidateQueries({ queryKey: ['signal', id] });
  const askForDeliveries = () => void queries.invalidateQueries({ queryKey: signalDeliveriesKey(id) });
  return useEvents({
    onEvent: ({ payload }) => {
      if (payload.data.id !== id) return;
      askForSignal();
      later(deliveriesAfterMs, askForDeliveries);
    },
    onGap: () => later(askAgainMs, askForSignal),
  });
}
