import { type IncomingMessage, parseEvent } from '@sigcast/messaging';
import { type FanOutPorts, fanOut } from '../domain/fan-out.ts';

/** Handles a message of the fan-out queue: done when every delivery is stored, and under way or marked as due. */
export function fanOutEvents(ports: FanOutPorts): (message: IncomingMessage) => Promise<void> {
  return (message) => fanOut(parseEvent(message), ports);
}
