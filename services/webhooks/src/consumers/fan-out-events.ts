import type { EventPriority, SignalEvent } from '@sigcast/contracts';
import { type IncomingMessage, parseEvent } from '@sigcast/messaging';
import { recently } from '@sigcast/runtime';
import { currentTraceparent } from '@sigcast/telemetry';
import { type FanOutPorts, fanOut } from '../domain/fan-out.ts';

/** Bulk events that a worker fans out at once while live ones come: each takes a part of what live ones need, too. */
const bulkBesideLive = 1;

/** Live events come while the last one is not older than this: rarer ones meet a worker that is full of bulk, each. */
const liveForMs = 10_000;

/**
 * Handlers for the fan-out queues, by the priority of what is in them: done with a message when every delivery is stored,
 * and under way or marked as due. Both count the bulk events that are under way. `onFannedOut` is told of each event that
 * was, and how many deliveries it has.
 */
export function fanOutEvents(
  ports: FanOutPorts,
  nowMs = () => performance.now(),
  onFannedOut: (event: SignalEvent, deliveries: number, priority: EventPriority) => void = () => undefined,
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
      const event = parseEvent(message);
      live.note();
      return handle(event, 'live');
    },
    bulk: async (message) => {
      const event = parseEvent(message);
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
