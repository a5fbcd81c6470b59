import { anyApiKey, dashboardKey } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import type { mongo } from 'mongoose';
import {
  isGap,
  type RequestFilter,
  type RequestPosition,
  type RequestReads,
  type RequestsRead,
} from '../domain/request-log.ts';
import { type Models, type RequestsDocument, requestIndexNames, type StoredRequest } from './models.ts';
import { bucketSpanMs } from './request-buckets.ts';

/** The most buckets that a page examines. */
const maxBuckets = 200;
/** How many entries the first read of a page examines beside those of the page; each read after it examines as many. */
const entriesPerRead = 5_000;

type Header = Pick<RequestsDocument, '_id' | 'last' | 'count'>;
type Found = { readonly bucket: string; readonly entry: StoredRequest };

/** Reads of the log in MongoDB: first which buckets there are, then the entries of those that the page needs. */
export function mongoRequestReads({ requests }: Pick<Models, 'requests'>): RequestReads {
  return {
    page: (account, filter, { limit, after }) =>
      storeCall(async () => {
        const buckets = await readHeaders(requests, account, filter, after);
        return readPage({ buckets, limit }, (some) => readEntries(requests, some, filter, after));
      }),

    withId: (requestId) =>
      storeCall(async () => {
        const found = await requests
          .find({ 'entries.id': requestId })
          .sort({ last: -1 })
          .hint(requestIndexNames.byRequest)
          .limit(10)
          .toArray();
        return found
          .flatMap(({ account, entries }) => entries.map((entry) => ({ ...entry, account })))
          .flatMap((entry) => (!isGap(entry) && entry.id === requestId ? [entry] : []))
          .slice(0, 10);
      }),
  };
}

/** The newest buckets that may have entries after a position, by their last entry. */
function readHeaders(
  requests: Models['requests'],
  account: string,
  { since, requestId }: RequestFilter,
  after: RequestPosition | undefined,
): Promise<Header[]> {
  const latest = after && new Date(after.at.getTime() + bucketSpanMs);
  const range = { ...(since && { $gte: since }), ...(latest && { $lte: latest }) };
  return requests
    .find(
      {
        account,
        ...(Object.keys(range).length > 0 && { last: range }),
        ...(after && { first: { $lte: after.at } }),
        ...(requestId !== undefined && { 'entries.id': requestId }),
      },
      { projection: { _id: 1, last: 1, count: 1 } },
    )
    .sort(requestId === undefined ? { account: 1, last: -1 } : { last: -1 })
    .hint(requestId === undefined ? requestIndexNames.byAccount : requestIndexNames.byRequest)
    .limit(maxBuckets + 1)
    .toArray();
}

/** Reads entries until the page is full: one is in place when no bucket that was not read may have a newer one. */
async function readPage(
  { buckets, limit }: { readonly buckets: readonly Header[]; readonly limit: number },
  read: (some: readonly Header[]) => Promise<Found[]>,
): Promise<RequestsRead> {
  let found: Found[] = [];
  const examined = buckets.slice(0, maxBuckets);
  for (let done = 0, entries = limit; ; entries = entriesPerRead) {
    const some = firstWith(entries, examined.slice(done));
    found = [...found, ...(await read(some))];
    done += some.length;
    const unread = buckets[done];
    const inPlace = found
      .filter(({ entry }) => unread === undefined || entry.at > unread.last)
      .sort(newestFirst);
    if (inPlace.length > limit || (inPlace.length === limit && unread !== undefined)) {
      const page = inPlace.slice(0, limit);
      return { entries: page.map(({ entry }) => entry), next: positionOf(page.at(-1)) };
    }
    if (done === examined.length) {
      return { entries: inPlace.map(({ entry }) => entry), next: unread && { at: unread.last } };
    }
  }
}

/** The first buckets which together have this many entries, at least one. */
function firstWith(entries: number, buckets: readonly Header[]): readonly Header[] {
  let taken = 0;
  for (let sum = 0; sum < entries && taken < buckets.length; taken += 1) sum += buckets[taken]?.count ?? 0;
  return buckets.slice(0, taken);
}

/** The entries of buckets that the filter lets through. */
async function readEntries(
  requests: Models['requests'],
  buckets: readonly Header[],
  filter: RequestFilter,
  after: RequestPosition | undefined,
): Promise<Found[]> {
  if (buckets.length === 0) return [];
  const read = await requests
    .aggregate<{ _id: string; entries: StoredRequest[] }>([
      { $match: { _id: { $in: buckets.map(({ _id }) => _id) } } },
      {
        $project: {
          entries: { $filter: { input: '$entries', as: 'one', cond: conditionOf(filter, after) } },
        },
      },
    ])
    .toArray();
  return read
    .flatMap(({ _id, entries }) => entries.map((entry) => ({ bucket: _id, entry })))
    .filter((found) => after === undefined || isAfter(found, after));
}

function conditionOf(
  { status, key, route, since, requestId }: RequestFilter,
  after?: RequestPosition,
): mongo.Document {
  const of = (name: keyof typeof requestMembers) => `$$one.${name}`;
  const wanted = [
    ...(status ? [{ $gte: [of('status'), status.from] }, { $lte: [of('status'), status.to] }] : []),
    ...(key === undefined
      ? []
      : [key === anyApiKey ? { $ne: [of('key'), dashboardKey] } : { $eq: [of('key'), key] }]),
    ...(route === undefined ? [] : [{ $eq: [of('route'), route] }]),
    ...(requestId === undefined ? [] : [{ $eq: [of('id'), requestId] }]),
  ];
  const gaps = requestId === undefined && wanted.length > 0 ? [{ $gt: [of('dropped'), 0] }] : [];
  return {
    $and: [
      ...(since ? [{ $gte: [of('at'), since] }] : []),
      ...(after ? [{ $lte: [of('at'), after.at] }] : []),
      ...(gaps.length > 0 ? [{ $or: [...gaps, { $and: wanted }] }] : wanted),
    ],
  };
}

/** The members of stored entries that conditions name. */
const requestMembers = { at: 1, status: 1, key: 1, route: 1, id: 1, dropped: 1 } as const;

function newestFirst(a: Found, b: Found): number {
  return (
    b.entry.at.getTime() - a.entry.at.getTime() || compareText(b.bucket, a.bucket) || b.entry.n - a.entry.n
  );
}

function isAfter({ bucket, entry }: Found, { at, entry: within }: RequestPosition): boolean {
  const older = at.getTime() - entry.at.getTime();
  if (older !== 0 || within === undefined) return older >= 0;
  return (compareText(within.bucket, bucket) || within.n - entry.n) > 0;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function positionOf(found: Found | undefined): RequestPosition | undefined {
  return found && { at: found.entry.at, entry: { bucket: found.bucket, n: found.entry.n } };
}
