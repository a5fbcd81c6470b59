import type { SignalFact } from './fact.ts';

/** The facts for operator commands. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type FactLedger = {
  /** Facts by ascending id: greater than `after`, up to and including `until` where they are given. */
  page(query: {
    readonly after?: string | undefined;
    readonly until?: string | undefined;
    readonly limit: number;
  }): Promise<readonly SignalFact[]>;
  find(id: string): Promise<SignalFact | undefined>;
  /** Removes a fact, unless it was replaced since it was read. */
  remove(fact: SignalFact): Promise<void>;
};

/** The signals, each as the fact that should be stored for it. Methods throw when signals can't be read. */
export type SignalSource = {
  /** The signals with a greater id than `after`, by ascending id; the next page begins after `nextAfter`, null at the end. */
  page(after: string | undefined): Promise<{
    readonly signals: readonly SignalFact[];
    readonly nextAfter: string | null;
  }>;
  find(id: string): Promise<SignalFact | undefined>;
};

/** The signals of a range of ids, and the facts of the same range, which are read after the signals. */
export type IdRange = { readonly signals: readonly SignalFact[]; readonly facts: readonly SignalFact[] };

const factsPage = 1_000;

/** Reads all signals and all facts once, range by range. */
export async function* idRanges(source: SignalSource, ledger: FactLedger): AsyncGenerator<IdRange> {
  for (let after: string | undefined; ; ) {
    const { signals, nextAfter } = await source.page(after);
    yield { signals, facts: await factsBetween(ledger, after, nextAfter ?? undefined) };
    if (nextAfter === null) return;
    after = nextAfter;
  }
}

async function factsBetween(
  ledger: FactLedger,
  after: string | undefined,
  until: string | undefined,
): Promise<readonly SignalFact[]> {
  const found: SignalFact[] = [];
  for (let last = after; ; ) {
    const page = await ledger.page({ after: last, until, limit: factsPage });
    found.push(...page);
    if (page.length < factsPage) return found;
    last = page.at(-1)?.id;
  }
}
