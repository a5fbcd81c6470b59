import type { FeedEvent, StreamOptions } from '@sigcast/client';
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react';
import { serviceAnswers } from './connection.ts';
import { ApiError } from './http.ts';
import { useSession } from './session-context.tsx';

/** `live`: events arrive as they happen. `off`: they can't at present; the page keeps trying. */
export type StreamStatus = 'connecting' | 'live' | 'off';

/** A stream that a page follows. `lastEventAt`: when its last event came, in Unix milliseconds; it changes without rendering. */
export type Stream = {
  readonly status: StreamStatus;
  readonly lastEventAt: { readonly current: number | undefined };
};

const firstPauseMs = 1_500;
const longestPauseMs = 60_000;

/** Which events a stream brings. Default: all. */
export type StreamChoice = Pick<StreamOptions, 'events' | 'types' | 'filter'>;

/**
 * Follows the account's event stream over reconnections without a gap. Only while the tab is in view: a browser opens
 * six connections to one origin, and tabs in the background would take them all. What happened meanwhile comes when
 * the tab is shown again.
 */
export function useEvents(take: {
  readonly onEvent: (event: FeedEvent) => void;
  /** Called when the stream is open, but earlier events can't be had from it. */
  readonly onGap: () => void;
  readonly choice?: StreamChoice;
}): Stream {
  const session = useSession();
  const inView = useInView();
  const lastId = useRef<string | undefined>(undefined);
  const lastEventAt = useRef<number | undefined>(undefined);
  const [status, setStatus] = useState<StreamStatus>('connecting');
  const onEvent = useEffectEvent((event: FeedEvent) => {
    lastEventAt.current = Date.now();
    take.onEvent(event);
  });
  const onGap = useEffectEvent(take.onGap);
  const choice = JSON.stringify(take.choice ?? {});
  useEffect(() => {
    if (!inView) return;
    const ended = new AbortController();
    const { signal } = ended;
    const follow = async () => {
      let pauseMs = firstPauseMs;
      while (!signal.aborted) {
        let cause: Error | undefined;
        try {
          await session.ask(async (api) => {
            const connection = new AbortController();
            const stream = api.stream({
              ...(JSON.parse(choice) as StreamChoice),
              ...(lastId.current !== undefined && { lastEventId: lastId.current }),
              signal: AbortSignal.any([signal, connection.signal]),
              // The browser notices a lost connection, also in a tab that has slept.
              idleTimeoutMs: 86_400_000,
              onPosition: (id) => {
                lastId.current = id;
              },
              onConnection: (now) => {
                // Opened again below, with a token that is good.
                if (now.state === 'lost') {
                  connection.abort();
                  cause = now.cause;
                  return;
                }
                pauseMs = firstPauseMs;
                setStatus('live');
                if (lastId.current === undefined) onGap();
              },
            });
            for await (const event of stream) onEvent(event);
          });
          if (cause !== undefined) throw cause;
        } catch (error) {
          if (signal.aborted) return;
          // The events after that id are no longer stored.
          if (error instanceof ApiError && error.status === 400) lastId.current = undefined;
          setStatus('off');
          if (!(error instanceof ApiError) || error.status === 0) await serviceAnswers();
          pauseMs = Math.min(longestPauseMs, pauseMs * 2);
        }
        await pause(pauseMs, signal);
      }
    };
    void follow();
    return () => {
      ended.abort();
      setStatus('connecting');
    };
  }, [session, inView, choice]);
  return { status, lastEventAt };
}

function useInView(): boolean {
  return useSyncExternalStore(onViewChange, () => document.visibilityState === 'visible');
}

function onViewChange(notice: () => void): () => void {
  document.addEventListener('visibilitychange', notice);
  return () => document.removeEventListener('visibilitychange', notice);
}

function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, durationMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
