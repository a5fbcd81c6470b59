import type { Sealer } from '@sigcast/runtime';
import type { Collection } from 'mongoose';
import { storeCall } from './errors.ts';

/** The most documents that are read at once. */
const page = 500;

/** Documents of one collection that have sealed texts. */
export type SealedDocuments<D extends { readonly _id: string }> = {
  readonly collection: Pick<Collection, 'find' | 'findOne'>;
  /** The filter of documents with a sealed text that meets this condition. */
  readonly having: (sealed: object) => object;
  /** The sealed texts of a document, each sealed for the document's id. */
  readonly textsOf: (document: D) => readonly (string | undefined)[];
  /** Replaces the texts of a document by what `again` makes of them, as far as nobody else has replaced them meanwhile. */
  readonly replace: (document: D, again: (sealed: string) => string) => Promise<void>;
};

const startsWith = (...prefixes: readonly string[]) =>
  new RegExp(`^(?:${prefixes.map((prefix) => prefix.replace('.', '\\.')).join('|')})`);

/**
 * Opens a text of each key: a wrong key may have the version of the right one.
 * @param setting the name of the setting with the keys, for the error.
 * @throws {Error} when the store has a text that no key opens.
 */
export async function requireOpenable<D extends { readonly _id: string }>(
  { collection, having, textsOf }: SealedDocuments<D>,
  { prefixes, open }: Pick<Sealer, 'prefixes' | 'open'>,
  setting: string,
): Promise<void> {
  const notOpenable = ({ _id }: D, cause?: unknown) =>
    new Error(`no key of ${setting} opens the secret of ${_id}: give the key that sealed it as well`, {
      cause,
    });
  const find = (sealed: object) =>
    storeCall(async () => (await collection.findOne(having(sealed))) as unknown as D | null);
  const other = await find({ $not: startsWith(...prefixes) });
  if (other) throw notOpenable(other);
  for (const prefix of prefixes) {
    const one = await find({ $regex: startsWith(prefix) });
    if (!one) continue;
    try {
      open(textsOf(one).find((text) => text?.startsWith(prefix)) ?? '', one._id);
    } catch (cause) {
      throw notOpenable(one, cause);
    }
  }
}

/**
 * Seals every text by the newest key that was sealed by an older one, while services go on.
 * @returns how many documents were changed.
 */
export async function reseal<D extends { readonly _id: string }>(
  { collection, having, replace }: SealedDocuments<D>,
  { open, seal, newestPrefix }: Sealer,
): Promise<number> {
  const older = having({ $not: startsWith(newestPrefix) });
  for (let changed = 0; ; ) {
    const found = await storeCall(() => collection.find(older).limit(page).toArray());
    if (found.length === 0) return changed;
    for (const one of found as unknown as D[]) {
      await replace(one, (sealed) => seal(open(sealed, one._id), one._id));
    }
    changed += found.length;
  }
}
