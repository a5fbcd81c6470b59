/** Updates signals chosen at random at a steady rate, one in fifty their status as well: a load program. */
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { atRate, sendResult } from './frame.ts';

export type UpdateSpec = {
  readonly signalsUrl: string;
  /** A producer's. */
  readonly token: string;
  /** A file with an id in each line. */
  readonly idsFile: string;
  /** Updates in one request: 1 is a PATCH, more are observations. */
  readonly batch: number;
  readonly perSecond: number;
  readonly durationMs: number;
};

export type UpdateResult = {
  /** Of updates that were answered. */
  readonly latenciesMs: readonly number[];
  readonly perSecond: number;
  readonly failed: number;
  /** Not sent, though due, because too many were unanswered. */
  readonly leftOut: number;
};

const { signalsUrl, token, idsFile, batch, perSecond, durationMs } = JSON.parse(
  process.argv[2] ?? '',
) as UpdateSpec;
const mostUnanswered = 256;
const ids = readFileSync(idsFile, 'utf8').split('\n');
const producer = new Pool(signalsUrl, { connections: 64 });
/** Two updates of one signal at once might arrive in the other order, and the rules refuse a status then. */
const underWay = new Set<string>();
const latenciesMs: number[] = [];
let [requests, failed, leftOut] = [0, 0, 0];
const below = (most: number) => Math.floor(Math.random() * most);

function change() {
  let id = ids[below(ids.length)] ?? '';
  while (underWay.has(id)) id = ids[below(ids.length)] ?? '';
  underWay.add(id);
  const metrics = {
    mcap_current: 10 * (1 + below(100_000)),
    volume_24h: below(1_000_000),
    holders: below(10_000),
    liquidity: below(100_000),
  };
  // The one way to end that the rules allow from each state in which a signal can be here.
  return { id, metrics, ...(below(50) === 0 && { status: 'rugged' }) };
}

async function update(): Promise<void> {
  if (requests >= Math.min(mostUnanswered, ids.length / (2 * batch))) {
    leftOut += batch;
    return;
  }
  requests += 1;
  const changes = Array.from({ length: batch }, change);
  const [{ id, ...patch } = change()] = changes;
  const observed_at = new Date().toISOString();
  const [path, method, content] =
    batch === 1
      ? [`/${id}`, 'PATCH' as const, patch]
      : ['/observations', 'POST' as const, { observations: changes.map((one) => ({ ...one, observed_at })) }];
  const startedAt = performance.now();
  const { statusCode, body } = await producer.request({
    path: `/internal/v1/signals${path}`,
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(content),
  });
  const answer = (await body.json()) as { data?: { failed?: number } };
  const refused = statusCode === 200 ? (answer.data?.failed ?? 0) : batch;
  failed += refused;
  const tookMs = performance.now() - startedAt;
  for (let n = refused; n < batch; n += 1) latenciesMs.push(tookMs);
  for (const one of changes) underWay.delete(one.id);
  requests -= 1;
}

const startedAt = performance.now();
await atRate(perSecond / batch, () => performance.now() - startedAt >= durationMs, update);
const result: UpdateResult = {
  latenciesMs,
  perSecond: (latenciesMs.length * 1_000) / (performance.now() - startedAt),
  failed,
  leftOut,
};
sendResult(result);
