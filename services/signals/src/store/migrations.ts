import type { Migration, MigrationStep } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import { indexNames, type SignalDocument, signalModel, symbolKey } from './signal-document.ts';

/** Signals read, and changed, in one step. */
const batch = 500;

const links = ['twitter', 'telegram', 'website'] as const;

/** What this version changes of signals that earlier ones stored. */
export const signalsMigrations: readonly Migration[] = [
  {
    name: 'symbol-keys',
    what: 'signals get the key that they are found by their symbol with',
    findsLeftovers: true,
    next: fillSymbolKeys,
  },
  {
    name: 'empty-links',
    what: "links of tokens that are not known are '' instead of null",
    next: emptyLinks,
  },
];

/** Those without a key; an index holds them as null, so that nothing else is read. */
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

/** All signals by their ids; a change by the service meanwhile touches other fields. */
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
