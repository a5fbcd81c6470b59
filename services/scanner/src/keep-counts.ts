import { keepDoing, type Logger, type Resources } from '@sigcast/runtime';
import type { UnsavedCounts } from './domain/unsaved-counts.ts';
import type { mongoHours } from './store/mongo-hours.ts';

/** How often counts are stored, in milliseconds: a killed process loses so much of them. Its metrics count without a gap. */
const everyMs = 30_000;

/** Adds what was counted to the hours in the store, until `resources` are released; then what is left. */
export function keepCounts(
  unsaved: UnsavedCounts,
  {
    hours,
    now,
    log,
  }: { readonly hours: ReturnType<typeof mongoHours>; readonly now: () => Date; readonly log: Logger },
  resources: Resources,
): void {
  const store = async () => {
    const counts = unsaved.take();
    if (Object.keys(counts).length === 0) return;
    try {
      await hours.add(counts, now());
    } catch (error) {
      unsaved.add(counts);
      log.warn({ error: String(error) }, 'counts wait: the store does not answer');
    }
  };
  resources.defer(store);
  keepDoing(async () => {
    await store();
    return everyMs;
  }, resources);
}
