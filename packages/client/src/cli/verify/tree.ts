import { createHash } from 'node:crypto';

/** SHA-256, 32 bytes. */
export type Hash = Buffer;

/** The hash of an entry (RFC 6962, 2.1). */
export function hashOfEntry(entry: Uint8Array): Hash {
  return createHash('sha256').update('\0').update(entry).digest();
}

function hashOfNode(left: Hash, right: Hash): Hash {
  return createHash('sha256').update('\u0001').update(left).update(right).digest();
}

/** The Merkle tree over entries that come one after the other. It keeps one hash for each bit of their number. */
export class Tree {
  /** Perfect subtrees, from left to right, each smaller than the one before. */
  readonly #subtrees: { readonly leaves: number; readonly hash: Hash }[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(entry: Hash): void {
    let [leaves, hash] = [1, entry];
    for (let left = this.#subtrees.at(-1); left?.leaves === leaves; left = this.#subtrees.at(-1)) {
      this.#subtrees.pop();
      [leaves, hash] = [leaves * 2, hashOfNode(left.hash, hash)];
    }
    this.#subtrees.push({ leaves, hash });
    this.#size += 1;
  }

  /** The root over all entries so far. */
  get root(): Hash {
    const [last, ...others] = this.#subtrees.map(({ hash }) => hash).reverse();
    if (last === undefined) return createHash('sha256').digest();
    return others.reduce((right, left) => hashOfNode(left, right), last);
  }
}
