import { eventPriorityOf } from '@sigcast/contracts';
import { type IncomingMessage, parseEvent } from '@sigcast/messaging';
import { recently } from '@sigcast/runtime';
import { type FanOutPorts, fanOut } from '../domain/fan-out.ts';

/** Bulk events that a worker fans out at once while live ones come: each takes a part of what live ones need, too. */
const bulkBesideLive = 1;

/** Live events come while the last one is not older than this: rarer ones meet a worker that is full of bulk, each. */
const liveForMs = 10_000;

/** Handles messages of both fan-out queues: done when every delivery is stored, and under way or marked as due. */
export function fanOutEvents(
  ports: FanOutPorts,
  nowMs = () => performance.now(),
): (message: IncomingMessage) => Promise<void> {
  const live = recently(liveForMs, nowMs);
  const waiting: (() => void)[] = [];
  let underWay = 0;
  const startNext = () => {
    while (waiting.length > 0 && (underWay < bulkBesideLive || !live.isSo)) {
      underWay += 1;
      waiting.shift()?.();
    }
  };
  return async (message) => {
    const event = parseEvent(message);
    if (eventPriorityOf(message.routingKey) === 'live') {
      live.note();
      return fanOut(event, ports);
    }
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      startNext();
    });
    try {
      await fanOut(event, ports);
    } finally {
      underWay -= 1;
      startNext();
    }
  };
}
