import { type ChildProcess, fork } from 'node:child_process';
import type { AttemptResult, Claimed } from '../domain/attempting.ts';
import type { Sent } from '../domain/delivery.ts';
import type { AddressPolicySettings } from './address-policy.ts';

/** A job for `main-attempt.ts`. */
export type IsolatedJob = { readonly policy: AddressPolicySettings; readonly claimed: Claimed };

/** How long a process may take to start, and an attempt in it; together shorter than a lease, in milliseconds. */
const startTimeoutMs = 5_000;
const attemptTimeoutMs = 8_000;

/** What `main-attempt.ts` says once it has its job: from then on, what ends it is the attempt's doing. */
export const begun = 'begun';

const entry = new URL('../main-attempt.ts', import.meta.url);

/** Sends deliveries that are suspected of killing their worker, each from a process that has nothing else to lose. */
export function isolatedSender(options: {
  readonly policy: AddressPolicySettings;
  /** Processes at once: some 60 MB each. */
  readonly maxProcesses: number;
  /** Told of a process that did not get as far as the attempt. Its delivery is put off, for however long that lasts. */
  readonly onProblem: (error: Error) => void;
  /** The file such a process runs. */
  readonly entry?: URL;
}): (claimed: Claimed) => Promise<Sent<AttemptResult>> {
  let running = 0;
  return async (claimed) => {
    if (running >= options.maxProcesses) return { kind: 'busy' };
    running += 1;
    try {
      const child = fork(options.entry ?? entry, [], {
        env: {},
        execArgv: ['--disable-warning=ExperimentalWarning'],
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
      return await resultOf(child, { policy: options.policy, claimed });
    } catch (error) {
      options.onProblem(error as Error);
      return { kind: 'busy' };
    } finally {
      running -= 1;
    }
  };
}

const crashed = (how: string): Sent<AttemptResult> => ({
  kind: 'crashed',
  outcome: 'interrupted',
  http_status: null,
  error: `Sending this ended the sending process (${how}); it may have reached the receiver. It was put aside.`,
  response_body: null,
});

/**
 * @throws Error that is never the delivery's fault: no process, for want of memory, say, one that does not begin, or one
 * that ends in good order without a result, as it does when it has lost its parent.
 */
function resultOf(child: ChildProcess, job: IsolatedJob): Promise<Sent<AttemptResult>> {
  return new Promise((resolve, reject) => {
    const end = () => child.kill('SIGKILL');
    let timer = setTimeout(end, startTimeoutMs);
    let hasBegun = false;
    child.on('message', (message) => {
      if (message !== begun) return resolve({ kind: 'done', ...(message as AttemptResult) });
      hasBegun = true;
      clearTimeout(timer);
      timer = setTimeout(end, attemptTimeoutMs);
    });
    child.once('error', reject);
    // Not 'exit', which may come before the last message.
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      const how = signal ?? `exit code ${code}`;
      // Without effect after a result.
      if (hasBegun && code !== 0) return resolve(crashed(how));
      const early = hasBegun ? 'without a result' : 'before it began';
      reject(new Error(`the sending process ended ${early}: ${how}`));
    });
    // A failure here means that the process is ending: its end says the rest.
    child.send(job, () => undefined);
  });
}
