import type { SignalFact } from './fact.ts';

/** The facts as an operator's commands look through them. Throws SERVICE_UNAVAILABLE while the store can't be reached. */
export type FactLedger = {
  /** Facts by ascending id: greater than `after`, up to and including `until` where they are given. */
  page(query: {
    readonly after?: string | undefined;
    readonly until?: string | undefined;
    readonly limit: number;
  }): Promise<readonly SignalFact[]>;
  find(id: string): Promise<SignalFact | undefined>;
  /** Takes a fact out, unless it was replaced since. */
  remove(fact: SignalFact): Promise<void>;
};

/** The signals themselves, each as the fact that should be kept of it. Throws when they can't be read. */
export type SignalSource = {
  /** The signals with a greater id than `after`, by ascending id; the next page begins after `nextAfter`, null at the end. */
  page(after: string | undefined): Promise<{
    readonly signals: readonly SignalFact[];
    readonly nextAfter: string | null;
  }>;
  find(id: string): Promise<SignalFact | undefined>;
};

/** A stretch of all ids: the signals in it, and the facts in it, which were read afterwards. */
export type Stretch = { readonly signals: readonly SignalFact[]; readonly facts: readonly SignalFact[] };

const factsPage = 1_000;

/** Goes through all signals and all facts side by side, once. */
export async function* stretches(source: SignalSource, ledger: FactLedger): AsyncGenerator<Stretch> {
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
