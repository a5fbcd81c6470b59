import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What the process that updates signals works on. */
export type UpdateSpec = {
  readonly signalsUrl: string;
  /** A producer's. */
  readonly token: string;
  /** A file with a line for each signal: its id, a space, its status. */
  readonly signalsFile: string;
  /** Updates in one request: 1 is a PATCH, more are observations. */
  readonly batch: number;
};

/** Updates so many signals a second from now on; 0 for none. */
export type UpdateOrder = { readonly perSecond: number };

/** What was done since the order before. */
export type UpdateCounts = {
  /** Updates that were answered, and the changes of status among them. */
  readonly answered: number;
  readonly statusChanges: number;
  readonly perSecond: number;
  /** Not sent, though due, because too many were unanswered. */
  readonly leftOut: number;
  /** Answers other than 200, and broken requests, by what came. */
  readonly failures: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

export type Updates = {
  readonly pid: number;
  /** Resolves with what was done since the rate before was set; when it is 0, only after the last answer. */
  setRate(perSecond: number): Promise<UpdateCounts>;
};

/** Starts the process that updates signals, at rate 0. */
export function startUpdates(scope: AsyncDisposableStack, spec: UpdateSpec): Updates {
  const program = fileURLToPath(new URL('update-load.ts', import.meta.url));
  const child = fork(program, [JSON.stringify(spec)]);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the process that updates signals ended with code ${code}`);
  });
  ended.catch(() => undefined);
  scope.defer(async () => {
    child.kill('SIGKILL');
    await ended.catch(() => undefined);
  });
  return {
    pid: child.pid ?? -1,
    setRate: async (perSecond) => {
      const answer = once(child, 'message');
      child.send({ perSecond } satisfies UpdateOrder);
      const [counts] = (await Promise.race([answer, ended])) as [UpdateCounts];
      return counts;
    },
  };
}
