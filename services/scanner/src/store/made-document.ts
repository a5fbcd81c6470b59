import type { NewSignalRequest, SignalType } from '@sigcast/contracts';
import type { IndexSpec } from '@sigcast/mongo';

/** The newest signal of a token and type: `_id` is `<chain>:<contract>:<type>`. */
export type MadeDocument = {
  _id: string;
  /** `<chain>:<contract>`. */
  token: string;
  type: SignalType;
  /** Until when the token gets no other signal of the type. */
  until: Date;
  /** What is sent to the signals service, until that has answered. */
  request?: NewSignalRequest;
  /** The request's idempotency key. */
  key: string;
  /** When the request is sent next, or the end of the lease of who sends it. */
  due_at?: Date;
  signal_id?: string;
  /** Why the signals service refused the request for good. */
  refused?: string;
  /** When the document is removed. */
  expires_at: Date;
};

export const madeCollection = 'made_signals';

export const madeIndexNames = { token: 'token', due: 'due', expiry: 'expiry' } as const;

export const madeIndexes: readonly IndexSpec[] = [
  { name: madeIndexNames.token, key: { token: 1 } },
  { name: madeIndexNames.due, key: { due_at: 1 }, partialFilterExpression: { due_at: { $exists: true } } },
  { name: madeIndexNames.expiry, key: { expires_at: 1 }, expireAfterSeconds: 0 },
];
