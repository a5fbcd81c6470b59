import {
  compareContents,
  compareHeaders,
  contentOf,
  type Named,
  type Pair,
  resolve,
} from './operation-pair.ts';
import type { Schema } from './schema.ts';
import type { Break } from './wording.ts';

/** Each change because of which clients of the last release can't read answers, or miss a part of them. */
export function compareResponses(pair: Pair): Break[] {
  const { was, is, released, present, name } = pair;
  const [before, now] = [was, is].map(({ responses }) => (responses ?? {}) as Named) as [Named, Named];
  const found: Break[] = [];
  for (const [status, response] of Object.entries(before)) {
    const where = `Response of ${name}, ${status}`;
    const same = now[status];
    if (same === undefined) {
      // An error that can't happen any more breaks nobody.
      if (isSuccess(status))
        found.push({ where, what: 'the status was removed', whom: 'clients that wait for it break' });
      continue;
    }
    const [one, other] = [resolve(response, released), resolve(same, present)];
    const headersOf = (answer: Schema) => (answer.headers ?? {}) as Named;
    found.push(
      ...compareHeaders(pair, headersOf(one), headersOf(other), { where, readers: 'clients' }),
      ...compareContents(pair, contentOf(one), contentOf(other), { direction: 'answers', where }),
    );
  }
  for (const status of Object.keys(now)) {
    if (before[status] === undefined && isSuccess(status))
      found.push({
        where: `Response of ${name}, ${status}`,
        what: 'the status is new among those of success',
        whom: 'clients that know only the others break',
      });
  }
  return found;
}

/** Whether a status, or a range such as `2XX`, is a success that clients have to know. 304 comes only on request. */
function isSuccess(status: string): boolean {
  return /^[123]/.test(status) && status !== '304';
}
