import type { Batch, Change } from './change-log.ts';
import type { Counted } from './figures.ts';
import type { Fact } from './source.ts';

/** What batches of the last while say is counted of documents, until the documents say it themselves. */
export function createRecentStates() {
  const recent = new Map<string, Counted & Pick<Change, 'dirtyAt'> & { readonly seenAtMs: number }>();
  return {
    /** Takes note of what a batch says of documents. */
    remember({ changes }: Pick<Batch, 'changes'>, seenAtMs: number): void {
      for (const { id, after, dirtyAt } of changes) {
        recent.delete(id); // so that the oldest stay first
        recent.set(id, { ...after, dirtyAt, seenAtMs });
      }
    },

    /** What is counted of a document: the document says it, unless it was counted a moment ago. */
    counted: ({ id, counted, dirtyAt }: Fact): Counted | undefined => {
      const newer = recent.get(id);
      const isOfIt = newer?.dirtyAt.getTime() === dirtyAt?.getTime();
      return newer && isOfIt && newer.rev > (counted?.rev ?? 0) ? newer : counted;
    },

    /**
     * Whether the view has had a state of a document, since an instant, that the document took on after it was read: it was
     * clean in between.
     */
    isBehind: ({ id, dirtyAt }: Fact, sinceMs: number): boolean => {
      const newer = recent.get(id);
      return (
        newer !== undefined && newer.seenAtMs >= sinceMs && newer.dirtyAt.getTime() !== dirtyAt?.getTime()
      );
    },

    /** Forgets states of a while ago. */
    forget(beforeMs: number, except: ReadonlySet<string>): void {
      for (const [id, { seenAtMs }] of recent) {
        if (seenAtMs >= beforeMs) return;
        if (!except.has(id)) recent.delete(id);
      }
    },
  };
}
