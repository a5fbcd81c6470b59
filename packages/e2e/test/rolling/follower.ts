import { setTimeout as delay } from 'node:timers/promises';
import { type EventSource, openEventSource } from '@sigcast/testing';
import type { Balancer } from './balancer.ts';

/** Follows events over a stream, and reconnects after the last event whenever the stream ends. */
export type Follower = AsyncDisposable & {
  /** The ids of the signals in its events. */
  readonly signals: readonly string[];
  /** How its connections ended; `ended` is the orderly end. */
  readonly ends: readonly string[];
};

/** Starts to follow new signals; resolves when the first connection is open. */
export async function startFollower(gateways: Balancer, apiKey: string): Promise<Follower> {
  const told: string[] = [];
  const ends: string[] = [];
  const leaving = new AbortController();
  let lastEventId = '';
  let current: EventSource | undefined;
  const signalsOf = (stream: EventSource | undefined) =>
    (stream?.events ?? []).map(({ data }) => (JSON.parse(data) as { data: { id: string } }).data.id);
  const open = () =>
    openEventSource(`${gateways.ready}/v1/stream?events=signal.new`, {
      authorization: `Bearer ${apiKey}`,
      ...(lastEventId && { 'last-event-id': lastEventId }),
    });
  const run = async () => {
    while (!leaving.signal.aborted) {
      const over = await current?.over;
      if (leaving.signal.aborted) return;
      ends.push(current?.status === 200 ? String(over) : `answered ${current?.status}`);
      lastEventId = current?.lastEventId || lastEventId;
      const pauseMs = current?.retryMs ?? 1_000;
      told.push(...signalsOf(current));
      current = undefined;
      await delay(pauseMs, undefined, { signal: leaving.signal }).catch(() => undefined);
      while (!leaving.signal.aborted && current === undefined) {
        current = await open().catch(async (error: unknown) => {
          ends.push(`not opened: ${String((error as Error).cause ?? error)}`);
          await delay(100);
          return undefined;
        });
      }
    }
  };
  current = await open();
  const running = run();
  return {
    get signals() {
      return [...told, ...signalsOf(current)];
    },
    ends,
    [Symbol.asyncDispose]: async () => {
      leaving.abort();
      await current?.close();
      await running;
    },
  };
}
