import { storeCall } from '@sigcast/mongo';
import { newId } from '@sigcast/runtime';
import type { AttemptStore, ClaimedDelivery } from '../domain/attempt-ports.ts';
import type { DeliveryRecord, KeptBatch } from '../domain/delivery.ts';
import type { mongoClaims } from './claims.ts';
import { type Models, plainDeliveries, plainEvents } from './models.ts';
import { eventOf } from './new-deliveries.ts';

/**
 * Returns a function that claims deliveries as one batch. A new batch is written to its first delivery, which holds the lease,
 * before anything is sent: whoever claims that delivery later claims the same batch.
 */
export function batchClaimer(
  models: Models,
  { claimAll, releaseLeases }: ReturnType<typeof mongoClaims>,
): AttemptStore['claimBatch'] {
  const release = (some: readonly ClaimedDelivery[]) => {
    const [one] = some;
    return one && releaseLeases(idsOf(some), one.lease);
  };

  /** Writes which deliveries are sent together. Undefined when the lease was lost. */
  const keep = async (first: ClaimedDelivery, together: readonly ClaimedDelivery[]) => {
    const batch: KeptBatch = { id: newId('bat'), deliveries: idsOf(together) };
    const { matchedCount } = await plainDeliveries(models).updateOne(
      { _id: first.delivery.id, 'lease.token': first.lease.token },
      { $set: { batch } },
    );
    return matchedCount === 1 ? batch : undefined;
  };

  /** The events of a batch. Those of deliveries that have ended are read; an event that is no longer kept is left out. */
  const eventsOf = async ({ deliveries }: KeptBatch, claimed: readonly ClaimedDelivery[]) => {
    const bodies = new Map(claimed.map(({ delivery, body }) => [delivery.eventId, body]));
    const ids = deliveries.map(eventOf);
    const ended = ids.filter((id) => !bodies.has(id));
    if (ended.length > 0) {
      const found = await plainEvents(models)
        .find({ _id: { $in: ended } }, { projection: { body: 1 } })
        .toArray();
      for (const { _id, body } of found) bodies.set(_id, body);
    }
    return ids.flatMap((id) => {
      const body = bodies.get(id);
      return body === undefined ? [] : [{ id, body }];
    });
  };

  return (pending, { proven }) =>
    storeCall(async () => {
      const known = pending[0]?.batch;
      const ids = known?.deliveries ?? pending.map(({ id }) => id);
      // The others of a known batch may wait for a later attempt, where a worker died while it wrote their outcomes.
      const outcomes = await claimAll(
        ids.map((id) => ({ delivery: { id }, proven })),
        { atAnyTime: known !== undefined },
      );
      const claimed = ids.flatMap((id) => {
        const one = outcomes.get(id);
        return one === undefined || one === 'deferred' ? [] : [one];
      });
      try {
        if ([...outcomes.values()].includes('deferred')) {
          await release(claimed);
          return 'deferred';
        }
        const [first] = claimed;
        if (first === undefined || first.delivery.id !== ids[0] || first.delivery.batch?.id !== known?.id) {
          await release(claimed);
          return undefined;
        }
        const together = known ? claimed : startOf(claimed, ids);
        await release(claimed.slice(together.length));
        const batch = known ?? (await keep(first, together));
        if (batch === undefined) {
          await release(together);
          return undefined;
        }
        const events = await eventsOf(batch, together);
        return { ...first, batch: { id: batch.id, events, others: together.slice(1) } };
      } catch (error) {
        await release(claimed)?.catch(() => undefined);
        throw error;
      }
    });
}

/** Those that may be sent together: nothing behind one that was not claimed or is at another attempt of its cycle. */
function startOf(claimed: readonly ClaimedDelivery[], ids: readonly string[]): readonly ClaimedDelivery[] {
  const [first] = claimed;
  if (first === undefined || first.delivery.cycle.once) return claimed.slice(0, 1);
  const isBehind = ({ delivery }: ClaimedDelivery, n: number) =>
    delivery.id === ids[n] && !delivery.cycle.once && inCycle(delivery) === inCycle(first.delivery);
  const end = claimed.findIndex((one, n) => !isBehind(one, n));
  return end < 0 ? claimed : claimed.slice(0, end);
}

/** How many attempts of its cycle a delivery has had. */
function inCycle({ attemptCount, cycle }: DeliveryRecord): number {
  return attemptCount - cycle.from;
}

function idsOf(some: readonly ClaimedDelivery[]): string[] {
  return some.map(({ delivery }) => delivery.id);
}
