import { createHash } from 'node:crypto';

/** The hash of a leaf or of a node of the tree: SHA-256, 32 bytes. */
export type Hash = Buffer;

/** Bytes of a hash. */
export const hashBytes = 32;

/** The hash of an entry (RFC 6962, 2.1). */
export function leafHash(entry: Uint8Array): Hash {
  return createHash('sha256').update(Uint8Array.of(0)).update(entry).digest();
}

/** The hash of a node, from those of its children (RFC 6962, 2.1). */
export function nodeHash(left: Hash, right: Hash): Hash {
  return createHash('sha256').update(Uint8Array.of(1)).update(left).update(right).digest();
}

/** The root of the tree without entries (RFC 6962, 2.1). */
export const emptyRoot: Hash = createHash('sha256').digest();

/** A perfect subtree: the number of its leaves, a power of two, and its hash. */
export type Subtree = { readonly size: number; readonly hash: Hash };

/**
 * The root over subtrees that stand side by side. None is larger than the one before it, and each begins at a multiple of
 * its size.
 */
export function rootOf(subtrees: Iterable<Subtree>): Hash {
  const stack: Subtree[] = [];
  for (const subtree of subtrees) {
    let { size, hash } = subtree;
    for (let left = stack.at(-1); left?.size === size; left = stack.at(-1)) {
      stack.pop();
      hash = nodeHash(left.hash, hash);
      size *= 2;
    }
    stack.push({ size, hash });
  }
  return (
    stack.reduceRight<Hash | undefined>(
      (right, { hash }) => (right === undefined ? hash : nodeHash(hash, right)),
      undefined,
    ) ?? emptyRoot
  );
}
