import { createServer } from 'node:http';
import type { SignalEvent } from '@sigcast/contracts';
import { listenOnLoopback } from '@sigcast/testing';

export const readerToken = 'a-reader';

/**
 * A server of a signals service's internal API, with signals in the state of events that a test may change. Listens on
 * loopback. @param pageSize signals in one page.
 */
export async function startSignalsService(resources: AsyncDisposableStack, pageSize: number) {
  const service = {
    events: [] as SignalEvent[],
    asked: [] as string[],
    failsAfter: Number.POSITIVE_INFINITY,
    url: '',
  };
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://signals');
    const answer = (status: number, body: object) => {
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    service.asked.push(`${req.method} ${req.url}`);
    if (req.headers.authorization !== `Bearer ${readerToken}`) return answer(403, { success: false });
    if (pathname !== '/internal/v1/signals') return answer(404, { success: false });
    if (service.asked.length > service.failsAfter) return answer(503, { success: false });
    const data = service.events
      .map(({ rev, data: signal }) => ({ rev, signal }))
      .sort((one, other) => (one.signal.id < other.signal.id ? -1 : 1))
      .filter(({ signal }) => signal.id > (searchParams.get('after') ?? ''))
      .slice(0, pageSize);
    const next_after = data.length < pageSize ? null : (data.at(-1)?.signal.id ?? null);
    return answer(200, { success: true, data, meta: { next_after } });
  });
  service.url = await listenOnLoopback(server);
  resources.defer(() => void server.close());
  return service;
}
