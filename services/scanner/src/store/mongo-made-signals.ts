import { randomUUID } from 'node:crypto';
import { claimDue, isInserted, storeCall } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import { candidateKey } from '../domain/candidate.ts';
import type { MadeSignals } from '../domain/ports.ts';
import { type MadeDocument, madeCollection, madeIndexNames } from './made-document.ts';

const dayMs = 86_400_000;
/** How old the figures of a signal are at most when it is sent: later, it would begin with another market than it says. */
const latestMs = 900_000;
/** How long after its cool-down a signal is remembered. */
const keptMs = 30 * dayMs;

/** A signal that this process alone sends until its lease ends. */
export type LeasedSignal = Required<Pick<MadeDocument, '_id' | 'key' | 'request' | 'due_at'>>;

/** What is done with signals that wait to be sent. Methods throw SERVICE_UNAVAILABLE while the store is away. */
export type UnsentSignals = {
  /** Leases the signal that has waited for longest; undefined where none is due. */
  claim(leaseMs: number): Promise<LeasedSignal | undefined>;
  /** Ends a lease: what became of the signal, if the lease is still held. */
  end(
    signal: LeasedSignal,
    result: { readonly signal_id: string } | { readonly refused: string },
  ): Promise<void>;
  /** How many wait, 1,000 at most. */
  countUnsent(): Promise<number>;
};

/** The signals that were made, in MongoDB. */
export function mongoMadeSignals(
  connection: Connection,
  { coolDownMs, now }: { readonly coolDownMs: number; readonly now: () => Date },
): MadeSignals & UnsentSignals {
  const made = connection.collection<MadeDocument>(madeCollection);
  const end: UnsentSignals['end'] = async ({ _id, due_at }, result) => {
    await made.updateOne({ _id, due_at }, { $set: result, $unset: { due_at: '', request: '' } });
  };
  return {
    coolingDown: (candidate) =>
      storeCall(async () => {
        const found = made
          .find({ token: candidateKey(candidate) }, { projection: { type: 1, until: 1 } })
          .hint(madeIndexNames.token);
        const cooling = (await found.toArray()).filter(({ until }) => until > now());
        return new Set(cooling.map(({ type }) => type));
      }),

    add: (candidate, request) =>
      storeCall(async () => {
        const token = candidateKey(candidate);
        const [at, _id] = [now(), `${token}:${request.type}`];
        const until = new Date(at.getTime() + coolDownMs);
        const expires_at = new Date(until.getTime() + keptMs);
        // A signal that cools down, or was not sent yet, does not match; then the insert is refused.
        return isInserted(() =>
          made.updateOne(
            { _id, until: { $lte: at }, due_at: { $exists: false } },
            {
              $set: { token, type: request.type, until, request, key: randomUUID(), due_at: at, expires_at },
              $unset: { signal_id: '', refused: '' },
            },
            { upsert: true },
          ),
        );
      }),

    claim: (leaseMs) =>
      storeCall(async () => {
        const at = now();
        const latest = new Date(at.getTime() - latestMs).toISOString();
        const due = {
          due: 'due_at',
          hint: madeIndexNames.due,
          now: at,
          until: new Date(at.getTime() + leaseMs),
        };
        for (;;) {
          const signal = (await claimDue(made, due)) as LeasedSignal | undefined;
          if (signal === undefined || (signal.request.origin?.observed_at ?? '') >= latest) return signal;
          await end(signal, { refused: 'it could not be sent in time' });
        }
      }),

    countUnsent: () =>
      storeCall(() =>
        made.countDocuments({ due_at: { $exists: true } }, { limit: 1_000, hint: madeIndexNames.due }),
      ),

    end: (signal, result) => storeCall(() => end(signal, result)),
  };
}
