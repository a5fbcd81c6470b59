import type { EventPriority } from '@sigcast/contracts';
import { type IncomingMessage, parseEventAs } from '@sigcast/messaging';
import { currentTraceparent } from '@sigcast/telemetry';
import { type FannedOutEvent, fannedOutEventSchema } from '../domain/event-body.ts';
import { type FanOutPorts, fanOut } from '../domain/fan-out.ts';

/** Called for each event whose deliveries are made, with their number. */
type OnFannedOut = (event: FannedOutEvent, deliveries: number, priority: EventPriority) => void;

/**
 * A handler for a fan-out queue. A message is handled when every delivery of its event is stored, and is attempted or marked
 * as due.
 */
export function fanOutEvents(
  ports: FanOutPorts,
  priority: EventPriority,
  onFannedOut: OnFannedOut,
): (message: IncomingMessage) => Promise<void> {
  return async (message) => {
    const event = parseEventAs(message, fannedOutEventSchema);
    const deliveries = await fanOut(event, ports, { priority, traceparent: currentTraceparent() });
    if (deliveries !== undefined) onFannedOut(event, deliveries, priority);
  };
}
