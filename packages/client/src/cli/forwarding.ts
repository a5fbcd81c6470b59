import { backoffMs, pause } from '../wait.ts';
import type { Io } from './command.ts';
import { CliError, exits } from './exits.ts';
import type { Taken } from './following.ts';
import { type Attempt, type Message, postEvent } from './posting.ts';

/** Pauses between attempts: shorter than the API's own, because a developer is working on the receiver. */
const backoff = { firstMs: 1_000, maxMs: 30_000 };

/** Forwards events to a receiver. */
export type Forwarder = {
  /**
   * Posts an event until the receiver answers 200, so that events stay in order. `stopped`: the command was asked to stop
   * before the event was received.
   * @throws {CliError} when the receiver answers 410.
   */
  forward(message: Message): Promise<Taken>;
};

/** Makes a forwarder. It posts each event as often as it takes, up to `maxRetries` retries. */
export function forwarder(options: {
  readonly url: URL;
  readonly secret: string;
  /** How many retries an event gets before it is given up and the next one is posted. */
  readonly maxRetries: number;
  /** Ends pauses. An attempt under way is finished. */
  readonly stop: AbortSignal;
  /** Ends attempts too. */
  readonly stopNow: AbortSignal;
  readonly note: Io['note'];
  /** Called for every attempt. */
  readonly onAttempt: (message: Message, attempt: Attempt) => void;
}): Forwarder {
  const { url, secret, maxRetries, stop, stopNow, note, onAttempt } = options;
  const forward = async (message: Message): Promise<Taken> => {
    for (let number = 1; ; number++) {
      const attempt = await postEvent(message, { url, secret, number, signal: stopNow });
      onAttempt(message, attempt);
      if (attempt.status === 200) return 'taken';
      if (stop.aborted) return 'stopped';
      if (attempt.status === 410) {
        const what = 'The receiver answered 410: it wants no more events. The API would disable its webhook';
        throw new CliError(exits.failed, what);
      }
      if (number > maxRetries) {
        note(`Gave up ${message.id} after ${number} ${number === 1 ? 'attempt' : 'attempts'}`);
        return 'taken';
      }
      const waitMs = Math.max(attempt.retryAfterMs, backoffMs(number, { ...backoff, random: Math.random }));
      note(`Not received: only 200 counts. Trying ${message.id} again in ${(waitMs / 1_000).toFixed(1)} s`);
      await pause(waitMs, stop).catch(() => undefined);
      if (stop.aborted) return 'stopped';
    }
  };
  return { forward };
}
