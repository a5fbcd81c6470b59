import type { Command as OperatorCommand } from '@sigcast/operator';
import type { Progress } from '@sigcast/runtime';

/** What the scanner adds to the context of its commands. */
export type ScannerContext = {
  /** Aborted by Ctrl-C and SIGTERM, which don't end the process any more. */
  readonly stopRequested: () => AbortSignal;
  /** Shows how many answers there are, until its end. */
  readonly progress: () => Progress;
};

export type Command = OperatorCommand<ScannerContext>;
