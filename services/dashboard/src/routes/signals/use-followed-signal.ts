import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type Stream, useEvents } from '../../api/use-events.ts';
import { signalDeliveriesKey, signalHistoryKey } from './signal-queries.ts';

/** How long after the opening of the stream the page asks for what happened before it and after the first answers. */
const askAgainMs = 60_000;
/** How long after an event the page asks for its observation and its deliveries: mostly the first answer has them. */
const recordedAfterMs = [2_000, 6_000, 12_000];

/** Follows the events of one signal, and requests again what an event changes. */
export function useFollowedSignal(id: string): Stream {
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
  // This key is also the beginning of that of the signal's events.
  const askForSignal = () => void queries.invalidateQueries({ queryKey: ['signal', id] });
  const askForRecords = () => {
    for (const key of [signalHistoryKey(id), signalDeliveriesKey(id)]) {
      void queries.invalidateQueries({ queryKey: key });
    }
  };
  return useEvents({
    onEvent: ({ data }) => {
      if (data.id !== id) return;
      askForSignal();
      for (const afterMs of recordedAfterMs) later(afterMs, askForRecords);
    },
    onGap: () => later(askAgainMs, askForSignal),
  });
}
