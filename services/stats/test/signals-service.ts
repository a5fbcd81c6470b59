import { createServer } from 'node:http';
import type { SignalRevision } from '@sigcast/contracts';
import { listenOnLoopback } from '@sigcast/testing';
import { eventOf, type Revision, realizableOf } from './events.ts';

export const readerToken = 'a-reader';

/** A server of a signals service's internal API, with a list of signals that a test may change. Listens on loopback. */
export async function startSignalsService(resources: AsyncDisposableStack) {
  const signals: Revision[] = [];
  const rows = () => signals.map(shown).sort((a, b) => (a.signal.id < b.signal.id ? -1 : 1));
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://signals');
    const answer = (status: number, body: object) => {
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (req.headers.authorization !== `Bearer ${readerToken}`) return answer(403, { success: false });
    const [, number] = /^\/internal\/v1\/signals\/sig_(\d+)$/.exec(pathname) ?? [];
    if (number !== undefined) {
      const found = signals.find(({ signal }) => signal === Number(number));
      if (!found) return answer(404, { success: false });
      return answer(200, { success: true, data: shown(found) });
    }
    const limit = 1_000;
    const data = rows()
      .filter(({ signal }) => signal.id > (searchParams.get('after') ?? ''))
      .slice(0, limit);
    const next_after = data.length < limit ? null : (data.at(-1)?.signal.id ?? null);
    return answer(200, { success: true, data, meta: { next_after } });
  });
  const url = await listenOnLoopback(server);
  resources.defer(() => void server.close());
  return { signals, url };
}

function shown(revision: Revision): SignalRevision {
  const realizable = realizableOf(revision);
  return { rev: revision.rev, signal: eventOf(revision).data, ...(realizable && { realizable }) };
}
