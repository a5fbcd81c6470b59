import type { EventPriority } from '@sigcast/contracts';
import { type IncomingMessage, parseEventAs } from '@sigcast/messaging';
import { BulkPace, pause, recently } from '@sigcast/runtime';
import { currentTraceparent } from '@sigcast/telemetry';
import { type FannedOutEvent, fannedOutEventSchema } from '../domain/event-body.ts';
import { type FanOutPorts, fanOut } from '../domain/fan-out.ts';

/** Live events count as arriving for this long after the last one, in milliseconds. */
const liveForMs = 10_000;

/** The pace of bulk events while live events arrive. The events of a batch share their commands of the store. */
const bulkPace = { batch: 10, pauseFactor: 8 };

type FanOutEventsOptions = {
  /** Called for each event whose deliveries are made, with their number. */
  readonly onFannedOut?: (event: FannedOutEvent, deliveries: number, priority: EventPriority) => void;
  /** Milliseconds of a clock that never jumps. */
  readonly nowMs?: () => number;
  /** Waits between batches of bulk events. */
  readonly pause?: (ms: number) => Promise<void>;
};

/**
 * Handlers for the two fan-out queues. A message is handled when every delivery of its event is stored, and is attempted or
 * marked as due. While live events arrive, bulk events are fanned out in small batches with pauses.
 */
export function fanOutEvents(
  ports: FanOutPorts,
  {
    onFannedOut = () => undefined,
    nowMs = () => performance.now(),
    pause: wait = pause,
  }: FanOutEventsOptions = {},
): Readonly<Record<EventPriority, (message: IncomingMessage) => Promise<void>>> {
  const live = recently(liveForMs, nowMs);
  const bulk = new BulkPace({ ...bulkPace, nowMs, pause: wait, isLive: () => live.isRecent });
  const handle = async (event: FannedOutEvent, priority: EventPriority) => {
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
      return bulk.run(() => handle(event, 'bulk'));
    },
  };
}
