import { compareContents, contentOf, type Named, type Pair, resolve } from './operation-pair.ts';
import type { Break } from './wording.ts';

/** What clients of the last release get to read that they don't know, and what they miss. */
export function compareResponses(pair: Pair): Break[] {
  const { was, is, released, present, name } = pair;
  const before = was.responses as Named;
  const now = is.responses as Named;
  const found: Break[] = [];
  for (const [status, response] of Object.entries(before)) {
    const where = `Response of ${name}, ${status}`;
    const same = now[status];
    if (same === undefined) {
      // That a failure can't happen any more breaks nobody.
      if (isSuccess(status))
        found.push({ where, what: 'the status was removed', whom: 'clients that wait for it break' });
      continue;
    }
    const [one, other] = [resolve(response, released), resolve(same, present)];
    const headers = Object.keys((other.headers ?? {}) as object).map((header) => header.toLowerCase());
    for (const header of Object.keys((one.headers ?? {}) as object)) {
      if (!headers.includes(header.toLowerCase()))
        found.push({
          where,
          what: `header \`${header}\` was removed`,
          whom: 'clients that read it break',
        });
    }
    found.push(...compareContents(pair, contentOf(one), contentOf(other), { direction: 'answers', where }));
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

/** 304 is for those who asked for it; the rest below 400 is what a client goes on with. */
function isSuccess(status: string): boolean {
  return Number(status) < 400 && status !== '304';
}
