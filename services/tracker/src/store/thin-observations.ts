import { claimDue, storeCall, valuesPerCommand } from '@sigcast/mongo';
import { keepDoing, type Logger, type Resources } from '@sigcast/runtime';
import type { Connection } from 'mongoose';
import { Thinning, thinnedBefore, thinningTime } from '../domain/thinning.ts';
import {
  type ObservationDocument,
  observationRange,
  observationsCollection,
} from './observation-document.ts';
import { indexNames, type TrackedDocument, trackedCollection } from './tracked-document.ts';

/** Signals of one pass. */
const signalsPerPass = 20;
/** How long another process leaves a signal alone, in milliseconds. A signal takes a moment; the rest is margin. */
const leaseMs = 10 * 60_000;
/** Between two passes, in milliseconds: when no signal was due, and when more may be. */
const pauseMs = { done: 60_000, more: 50 };

/** Observations that are in memory at once. */
const batchSize = 1_000;

/**
 * Thins the observations of some signals that are due, one signal after another. `thin_at` of a signal is its lease. Several
 * processes may do this at once, and after a kill another process does it again.
 *
 * @returns the number of signals that were thinned, and the number of observations that were removed.
 */
export async function thinObservations(
  connection: Connection,
  now: () => Date,
): Promise<{ readonly signals: number; readonly removed: number }> {
  const tracked = connection.collection<TrackedDocument>(trackedCollection);
  const done = { signals: 0, removed: 0 };
  while (done.signals < signalsPerPass) {
    const at = now();
    const lease = new Date(at.getTime() + leaseMs);
    const due = { due: 'thin_at', hint: indexNames.thin, now: at, until: lease };
    const signal = await storeCall(() => claimDue(tracked, due));
    if (signal === undefined) break;
    const { removed, next } = await thinSignal(connection, signal, thinnedBefore(now()));
    // An event that was recorded meanwhile has raised `rev`, or moved `thin_at` to an earlier time. Then `thin_at` stays.
    await storeCall(() =>
      tracked.updateOne(
        { _id: signal._id, thin_at: lease, rev: signal.rev },
        next === undefined ? { $unset: { thin_at: '' } } : { $set: { thin_at: next } },
      ),
    );
    done.signals += 1;
    done.removed += removed;
  }
  return done;
}

/** @returns the number of removed observations, and when the signal's next observations are to be thinned. */
async function thinSignal(
  connection: Connection,
  { _id, mcap_entry }: Pick<TrackedDocument, '_id' | 'mcap_entry'>,
  before: Date,
): Promise<{ readonly removed: number; readonly next: Date | undefined }> {
  const observations = connection.collection<ObservationDocument>(observationsCollection);
  let found: string[] = [];
  let removed = 0;
  const remove = async () => {
    if (found.length === 0) return;
    removed += (await observations.deleteMany({ _id: { $in: found } })).deletedCount;
    found = [];
  };
  return storeCall(async () => {
    const decisions = await observations
      .find({ _id: observationRange(_id), evidence: { $exists: true } }, { projection: { evidence: 1 } })
      .toArray();
    const thinning = new Thinning(
      mcap_entry,
      decisions.flatMap(({ evidence }) => evidence?.observations ?? []),
    );
    let next: Date | undefined;
    const cursor = observations
      .find(
        { _id: observationRange(_id) },
        { projection: { at: 1, mcap: 1, mcap_ath: 1, known_at: 1, status: 1 } },
      )
      .sort({ _id: 1 })
      // eslint-disable-next-line no-restricted-syntax -- in order of ids; what is removed meanwhile has been read
      .batchSize(batchSize);
    for await (const { _id: id, at, mcap, mcap_ath: mcapAth, known_at: knownAt, status } of cursor) {
      if (at >= before) {
        next = thinningTime(at);
        break;
      }
      const superseded = thinning.next({
        id,
        at,
        mcap,
        mcapAth,
        knownAt,
        changesStatus: status !== undefined,
      });
      if (superseded !== undefined) found.push(superseded);
      if (found.length === valuesPerCommand) await remove();
    }
    await remove();
    return { removed, next };
  });
}

/** Thins observations until `resources` are released. */
export function startThinning(
  connection: Connection,
  { log, resources }: { readonly log: Logger; readonly resources: Resources },
): void {
  keepDoing(async () => {
    try {
      const { signals, removed } = await thinObservations(connection, () => new Date());
      if (removed > 0) log.info({ signals, removed }, 'observations: those older than 30 days are thinned');
      return signals > 0 ? pauseMs.more : pauseMs.done;
    } catch (err) {
      log.warn({ err }, 'observations: old ones can not be thinned yet');
      return pauseMs.done;
    }
  }, resources);
}
