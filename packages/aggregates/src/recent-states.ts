import type { Batch, Change } from './change-log.ts';
import type { Counted } from './figures.ts';
import type { Fact } from './source.ts';

/** A cache of the states that recent batches count, until the documents themselves say what is counted of them. */
export function createRecentStates() {
  const recent = new Map<string, Counted & Pick<Change, 'dirtyAt'> & { readonly seenAtMs: number }>();
  return {
    /** Adds the states of a batch. */
    add({ changes }: Pick<Batch, 'changes'>, seenAtMs: number): void {
      for (const { id, after, dirtyAt } of changes) {
        recent.delete(id); // so that the oldest stay first
        recent.set(id, { ...after, dirtyAt, seenAtMs });
      }
    },

    /** The state that is counted of a document: as the document says, unless a recent batch has a newer one. */
    counted: ({ id, counted, dirtyAt }: Fact): Counted | undefined => {
      const newer = recent.get(id);
      const isSameDirty = newer?.dirtyAt.getTime() === dirtyAt?.getTime();
      return newer && isSameDirty && newer.rev > (counted?.rev ?? 0) ? newer : counted;
    },

    /** Whether a batch since `sinceMs` counts a later state of a document than was read: the document was clean in between. */
    isBehind: ({ id, dirtyAt }: Fact, sinceMs: number): boolean => {
      const newer = recent.get(id);
      return (
        newer !== undefined && newer.seenAtMs >= sinceMs && newer.dirtyAt.getTime() !== dirtyAt?.getTime()
      );
    },

    /** Removes states that were added before an instant, except those of some documents. */
    evict(beforeMs: number, except: ReadonlySet<string>): void {
      for (const [id, { seenAtMs }] of recent) {
        if (seenAtMs >= beforeMs) return;
        if (!except.has(id)) recent.delete(id);
      }
    },
  };
}
