import { type ChildProcess, fork } from 'node:child_process';
import type { AttemptResult, Claimed } from '../domain/attempting.ts';
import type { Sent } from '../domain/delivery.ts';
import type { AddressPolicySettings } from './address-policy.ts';

/** A job for `main-attempt.ts`. */
export type IsolatedJob = { readonly policy: AddressPolicySettings; readonly claimed: Claimed };

/** Longer than an attempt takes, start of the process included, and shorter than a lease, in milliseconds. */
const processTimeoutMs = 12_000;

const entry = new URL('../main-attempt.ts', import.meta.url);

/** Sends deliveries that are suspected of killing their worker, each from a process that has nothing else to lose. */
export function isolatedSender(options: {
  readonly policy: AddressPolicySettings;
  /** Processes at once: some 60 MB each. */
  readonly maxProcesses: number;
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
    } finally {
      running -= 1;
    }
  };
}

function resultOf(child: ChildProcess, job: IsolatedJob): Promise<Sent<AttemptResult>> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), processTimeoutMs);
    child.once('message', (result) => resolve({ kind: 'done', ...(result as AttemptResult) }));
    // Not started at all, for want of memory, say: no fault of the delivery.
    child.once('error', reject);
    child.once('exit', () => {
      clearTimeout(timer);
      // Without effect after a result.
      resolve({
        kind: 'crashed',
        outcome: 'interrupted',
        http_status: null,
        error: 'Sending this ended the sending process; it may have reached the receiver. It was put aside.',
        response_body: null,
      });
    });
    child.send(job, (error) => {
      if (error && child.exitCode === null && child.signalCode === null) reject(error);
    });
  });
}
