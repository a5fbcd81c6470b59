import type { EventPriority, SignalEvent } from '@sigcast/contracts';
import { type IncomingMessage, parseEventAs } from '@sigcast/messaging';
import { recently } from '@sigcast/runtime';
import { currentTraceparent } from '@sigcast/telemetry';
import { type FanOutPorts, fannedOutEventSchema, fanOut } from '../domain/fan-out.ts';

/** The most bulk events that a worker fans out at once while live events arrive, because both need the store. */
const bulkBesideLive = 1;

/** Live events count as arriving for this long after the last one, in milliseconds. */
const liveForMs = 10_000;

type FanOutEventsOptions = {
  /** Called for each event whose deliveries are made, with their number. */
  readonly onFannedOut?: (event: SignalEvent, deliveries: number, priority: EventPriority) => void;
  /** Milliseconds of a clock that never jumps. */
  readonly nowMs?: () => number;
};

/**
 * Handlers for the two fan-out queues. A message is handled when every delivery of its event is stored, and is attempted or
 * marked as due. Live events restrict how many bulk events are fanned out at once.
 */
export function fanOutEvents(
  ports: FanOutPorts,
  { onFannedOut = () => undefined, nowMs }: FanOutEventsOptions = {},
): Readonly<Record<EventPriority, (message: IncomingMessage) => Promise<void>>> {
  const live = recently(liveForMs, nowMs);
  const waiting: (() => void)[] = [];
  let underWay = 0;
  const startNext = () => {
    while (waiting.length > 0 && (underWay < bulkBesideLive || !live.isRecent)) {
      underWay += 1;
      waiting.shift()?.();
    }
  };
  const handle = async (event: SignalEvent, priority: EventPriority) => {
    const deliveries = await fanOut(event, ports, { priority, traceparent: currentTraceparent() });
    if (deliveries !== undefined) onFannedOut(event, deliveries, priority);
  };
  return {
    live: async (message) => {
      const event = parseEventAs(message, fannedOutEventSchema);
      live.note();
      return handle(event, 'live');
    },
    bulk: async (message) => {
      const event = parseEventAs(message, fannedOutEventSchema);
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        startNext();
      });
      try {
        await handle(event, 'bulk');
      } finally {
        underWay -= 1;
        startNext();
      }
    },
  };
}
