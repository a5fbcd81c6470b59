import { type CountedFact, floor, hourMs, maxCellFacts, toStored } from './cells.ts';
import type { Batch, Change, Span } from './change-log.ts';
import { add, type Figures, type Measure, valuesOf } from './figures.ts';
import type { Source } from './source.ts';
import type { View } from './view.ts';

/** Documents of a new cell at most: it is divided only when as many again are added. */
const newCellFacts = maxCellFacts / 2;

/** The cells of a span, counted from the documents, with `changes` that are about to be counted. */
export async function recount(
  { source, view, measures }: { source: Source; view: View; measures: readonly Measure[] },
  span: Span,
  changes: readonly Change[] = [],
): Promise<Batch['replaced'][number]> {
  const changed = new Map(changes.map(({ id, after }) => [id, after]));
  const facts = await view.countedIn(source, span, changed);
  const cells = groupByCell(span, facts).map(({ facts: own, ...bounds }) => {
    const figures: Figures = new Map();
    for (const { type, state } of own) add(measures, figures, type, valuesOf(measures, state));
    return toStored({ ...bounds, figures, distributions: view.distributions.packAll(own) });
  });
  return { ...span, cells };
}

/** Facts by cell of at most an hour. A millisecond with many facts is a cell of its own. */
function groupByCell(
  span: Span,
  facts: readonly CountedFact[],
): (Span & { readonly facts: readonly CountedFact[] })[] {
  const cells: (Span & { readonly facts: readonly CountedFact[] })[] = [];
  const byInstant = Map.groupBy(facts, ({ createdAtMs }) => createdAtMs);
  const instants = [...byInstant.keys()].sort((a, b) => a - b);
  let open: { readonly fromMs: number; readonly facts: CountedFact[] } | undefined;
  const close = (toMs: number) => {
    if (open) cells.push({ ...open, toMs });
    open = undefined;
  };
  let hourEndMs = Number.NEGATIVE_INFINITY;
  for (const ms of instants) {
    const own = byInstant.get(ms) ?? [];
    if (ms >= hourEndMs) {
      close(hourEndMs);
      hourEndMs = Math.min(floor(ms, hourMs) + hourMs, span.toMs);
      open = { fromMs: Math.max(hourEndMs - hourMs, floor(ms, hourMs), span.fromMs), facts: [] };
    } else if (!open || open.facts.length + own.length > newCellFacts) {
      close(ms);
      open = { fromMs: ms, facts: [] };
    }
    if (!open) continue;
    for (const fact of own) open.facts.push(fact);
    if (own.length > newCellFacts) close(ms + 1);
  }
  close(hourEndMs);
  return cells;
}
