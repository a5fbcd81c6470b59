import { contractKey } from '@sigcast/contracts';
import type { Links } from './observation.ts';

/** A token that a list has named. */
export type Find = {
  /** Such as `dexscreener:boosts`. */
  readonly list: string;
  /** DexScreener's name of the chain. */
  readonly chain: string;
  readonly contract: string;
  readonly links: Links;
  /** Wallets that bought in the last hour, where the list says so. */
  readonly buyers1h?: number | undefined;
};

/** A token that waits to be judged, with all that lists said of it. `listedMs`: when a list named it last. */
export type Candidate = Omit<Find, 'list'> & { readonly lists: readonly string[]; readonly listedMs: number };

/** The same for a token in whatever case a list writes it. */
export function candidateKey({ chain, contract }: Pick<Find, 'chain' | 'contract'>): string {
  return `${chain}:${contractKey(contract)}`;
}

/** How long a candidate waits: what lists said of it is old then. Lists that still name it do so again. */
const longestWaitMs = 600_000;

/** How many candidates wait or are remembered at most: an hour of a thousand a minute. */
const mostKept = 60_000;

/**
 * The tokens that wait to be judged. A token that several lists name is one; one that was judged waits until it may be judged
 * again.
 */
export class Candidates {
  readonly #waiting = new Map<string, Candidate>();
  /** When each token was judged last, oldest first. */
  readonly #judgedMs = new Map<string, number>();
  readonly #againAfterMs: number;

  /** @param againAfterMs how long a verdict stands, in milliseconds */
  constructor(againAfterMs: number) {
    this.#againAfterMs = againAfterMs;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** @returns whether the token waits now and did not before. */
  add({ list, ...found }: Find, nowMs: number): boolean {
    const key = candidateKey(found);
    const known = this.#waiting.get(key);
    if (known !== undefined) {
      this.#waiting.set(key, {
        ...known,
        lists: [...new Set([...known.lists, list])],
        links: { ...found.links, ...known.links },
        buyers1h: found.buyers1h ?? known.buyers1h,
        listedMs: nowMs,
      });
      return false;
    }
    const judgedMs = this.#judgedMs.get(key);
    if (judgedMs !== undefined && nowMs - judgedMs < this.#againAfterMs) return false;
    if (this.#waiting.size >= mostKept) return false;
    this.#waiting.set(key, { ...found, lists: [list], listedMs: nowMs });
    return true;
  }

  /** Takes the tokens that have waited for longest, all of one chain, and notes that they are judged. */
  take(most: number, nowMs: number): readonly Candidate[] {
    for (const [key, { listedMs }] of this.#waiting) {
      if (nowMs - listedMs > longestWaitMs) this.#waiting.delete(key);
    }
    const [first] = this.#waiting.values();
    const ofChain = [...this.#waiting].filter(([, { chain }]) => chain === first?.chain);
    return this.#judge(ofChain.slice(0, most), nowMs);
  }

  /** Takes those of some tokens that wait, by `candidateKey`, and notes that they are judged. */
  takeThese(keys: ReadonlySet<string>, nowMs: number): readonly Candidate[] {
    return this.#judge(
      [...this.#waiting].filter(([key]) => keys.has(key)),
      nowMs,
    );
  }

  #judge(taken: readonly (readonly [string, Candidate])[], nowMs: number): readonly Candidate[] {
    for (const [key] of taken) {
      this.#waiting.delete(key);
      this.#judgedMs.delete(key);
      this.#judgedMs.set(key, nowMs);
    }
    for (const [key, judgedMs] of this.#judgedMs) {
      if (nowMs - judgedMs < this.#againAfterMs && this.#judgedMs.size <= mostKept) break;
      this.#judgedMs.delete(key);
    }
    return taken.map(([, candidate]) => candidate);
  }

  /** Gives back tokens that could not be judged. */
  giveBack(candidates: readonly Candidate[]): void {
    for (const candidate of candidates) {
      this.#judgedMs.delete(candidateKey(candidate));
      this.#waiting.set(candidateKey(candidate), candidate);
    }
  }
}
