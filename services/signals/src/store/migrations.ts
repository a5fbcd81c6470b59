import { symbolKey } from '@sigcast/contracts';
import type { Migration, MigrationStep } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import { indexNames, type SignalDocument, signalModel } from './signal-document.ts';

/** Signals of one step. */
const batch = 500;

const links = ['twitter', 'telegram', 'website'] as const;

/** The changes of signals that earlier versions stored. */
export const signalsMigrations: readonly Migration[] = [
  {
    name: 'symbol-keys',
    what: 'signals get the key by which they are found by their symbol',
    findsLeftovers: true,
    next: fillSymbolKeys,
  },
  {
    name: 'empty-links',
    what: "links of tokens that are not known are '' instead of null",
    next: emptyLinks,
  },
];

/** Finds signals without a key in the index, which holds them as null. */
export async function fillSymbolKeys(connection: Connection): Promise<MigrationStep | undefined> {
  const model = signalModel(connection);
  const old = await model
    .find({ symbol_key: null }, { 'token.symbol': 1 })
    .hint(indexNames.symbol)
    .limit(batch)
    .lean<{ _id: string; token: { symbol: string } }[]>();
  if (old.length === 0) return undefined;
  await model.bulkWrite(
    old.map(({ _id, token }) => ({
      updateOne: { filter: { _id }, update: { $set: { symbol_key: symbolKey(token.symbol) } } },
    })),
    { ordered: false },
  );
  return { changed: old.length };
}

/** Goes through all signals by id. The service itself never changes these fields. */
async function emptyLinks(
  connection: Connection,
  after: string | undefined,
): Promise<MigrationStep | undefined> {
  const model = signalModel(connection);
  const some = await model
    .find(after === undefined ? {} : { _id: { $gt: after } }, { 'token.socials': 1 })
    .sort({ _id: 1 })
    .limit(batch)
    .lean<Pick<SignalDocument, '_id' | 'token'>[]>();
  const last = some.at(-1);
  if (last === undefined) return undefined;
  const writes = some.flatMap(({ _id, token: { socials } }) => {
    const unknown = links.filter((name) => typeof socials[name] !== 'string');
    if (unknown.length === 0) return [];
    const set = Object.fromEntries(unknown.map((name) => [`token.socials.${name}`, '']));
    return [{ updateOne: { filter: { _id }, update: { $set: set } } }];
  });
  if (writes.length > 0) await model.bulkWrite(writes, { ordered: false });
  return { changed: writes.length, after: last._id };
}
