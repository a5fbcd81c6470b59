import { useEffect, useEffectEvent, useState } from 'react';
import { readStream, type StreamEvent } from './events.ts';
import { useSession } from './session-context.tsx';

/** `live`: events arrive as they happen. `off`: they can't now; another try is made by itself. */
export type StreamStatus = 'connecting' | 'live' | 'off';

const firstPauseMs = 1_500;
const longestPauseMs = 60_000;

/** Follows the account's event stream over reconnections without a gap. */
export function useEvents(onEvent: (event: StreamEvent) => void): StreamStatus {
  const session = useSession();
  const [status, setStatus] = useState<StreamStatus>('connecting');
  const take = useEffectEvent(onEvent);
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    const follow = async () => {
      let lastId: string | undefined;
      let pauseMs = firstPauseMs;
      while (!signal.aborted) {
        try {
          await session.authorised((token) =>
            readStream({
              token,
              lastId,
              signal,
              onOpen: () => {
                pauseMs = firstPauseMs;
                setStatus('live');
              },
              onEvent: (event) => take(event),
              onId: (id) => {
                lastId = id;
              },
            }),
          );
        } catch {
          if (signal.aborted) return;
          setStatus('off');
          pauseMs = Math.min(longestPauseMs, pauseMs * 2);
        }
        await pause(pauseMs, signal);
      }
    };
    void follow();
    return () => ended.abort();
  }, [session]);
  return status;
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
