import type { Batch, Change, Span, StoredCell } from './change-log.ts';
import { add, type Figures, type Measure, valuesOf } from './figures.ts';
import type { Source } from './source.ts';
import { type CountedFact, floor, hourMs, maxCellFacts, toStored, type View } from './view.ts';

/** Documents of a new cell: as many again fit in before it is divided. */
const newCellFacts = maxCellFacts / 2;

/** The cells of a span, counted from the documents, with some changes that are about to be counted. */
export async function recount(
  { source, view, measures }: { source: Source; view: View; measures: readonly Measure[] },
  span: Span,
  changes: readonly Change[] = [],
): Promise<Batch['replaced'][number]> {
  const changed = new Map(changes.map(({ id, after }) => [id, after]));
  const facts = await view.countedIn(source, span, changed);
  return { ...span, cells: cellsOf(measures, span, facts) };
}

/** Cells of at most an hour that hold these facts. One of many facts in a millisecond has that millisecond alone. */
function cellsOf(measures: readonly Measure[], span: Span, facts: readonly CountedFact[]): StoredCell[] {
  const cells: StoredCell[] = [];
  const byInstant = Map.groupBy(facts, ({ createdAtMs }) => createdAtMs);
  const instants = [...byInstant.keys()].sort((a, b) => a - b);
  let open: { fromMs: number; facts: number; readonly figures: Figures } | undefined;
  const close = (toMs: number) => {
    if (open) cells.push(toStored({ fromMs: open.fromMs, toMs, figures: open.figures }));
    open = undefined;
  };
  let hourEndMs = Number.NEGATIVE_INFINITY;
  for (const ms of instants) {
    const own = byInstant.get(ms) ?? [];
    if (ms >= hourEndMs) {
      close(hourEndMs);
      hourEndMs = Math.min(floor(ms, hourMs) + hourMs, span.toMs);
      open = {
        fromMs: Math.max(hourEndMs - hourMs, floor(ms, hourMs), span.fromMs),
        facts: 0,
        figures: new Map(),
      };
    } else if (!open || open.facts + own.length > newCellFacts) {
      close(ms);
      open = { fromMs: ms, facts: 0, figures: new Map() };
    }
    if (!open) continue;
    for (const { type, state } of own) add(measures, open.figures, type, valuesOf(measures, state));
    open.facts += own.length;
    if (own.length > newCellFacts) close(ms + 1);
  }
  close(hourEndMs);
  return cells;
}
