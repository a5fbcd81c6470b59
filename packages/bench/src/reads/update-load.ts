/**
 * Updates signals at a steady rate, whether or not the updates before are answered: a process of its own, so that it
 * delays no read that is measured. Ids are taken at random. Each update changes the market's figures, one in fifty the
 * status as well, as the rules allow. Usage: forked, with an UpdateSpec as JSON; ends with its parent.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { SignalPatch, SignalStatus } from '@sigcast/contracts';
import { Pool } from 'undici';
import { percentile } from './steady-reads.ts';
import type { UpdateCounts, UpdateOrder, UpdateSpec } from './updates.ts';

const spec = JSON.parse(process.argv[2] ?? '') as UpdateSpec;
/** A producer with so many unanswered updates leaves out what is due. */
const mostUnanswered = 256;
const statusShare = 0.02;
const following: Readonly<Record<SignalStatus, readonly SignalStatus[]>> = {
  active: ['winner', 'dead', 'rugged'],
  winner: ['rugged'],
  dead: [],
  rugged: [],
};

const signals = readFileSync(spec.signalsFile, 'utf8').trimEnd().split('\n');
const ids = signals.map((line) => line.slice(0, line.indexOf(' ')));
const statuses = signals.map((line) => line.slice(line.indexOf(' ') + 1) as SignalStatus);
const producer = new Pool(spec.signalsUrl, { connections: 64, pipelining: 1 });
const unanswered = new Map<number, Promise<void>>();
const below = (most: number) => Math.floor(Math.random() * most);

let counts = newCounts();
function newCounts() {
  const [latenciesMs, failures]: [number[], Record<string, number>] = [[], {}];
  return { since: performance.now(), latenciesMs, failures, statusChanges: 0, leftOut: 0 };
}

/** Changes ROI, whose step is 10 USD here, in all but one of 100,000 cases. */
function metrics() {
  return {
    mcap_current: 10 * (1 + below(100_000)),
    volume_24h: below(1_000_000),
    holders: below(10_000),
    liquidity: below(100_000),
  };
}

/** A signal that no unanswered request changes, and a change of it that the rules allow. */
function change(taken: ReadonlySet<number>) {
  let index = below(ids.length);
  // Two updates of one signal at once might arrive in the other order, and the rules refuse the status then.
  while (unanswered.has(index) || taken.has(index)) index = below(ids.length);
  const choices = following[statuses[index] ?? 'dead'];
  const status = Math.random() < statusShare ? choices[below(choices.length)] : undefined;
  if (status) statuses[index] = status;
  return { index, patch: { metrics: metrics(), ...(status && { status }) } satisfies SignalPatch };
}

/** The request for these changes: a PATCH of one signal, or observations of several. */
function requestOf(changes: readonly ReturnType<typeof change>[]) {
  const [first, ...others] = changes;
  if (first && others.length === 0)
    return { path: `/${ids[first.index]}`, method: 'PATCH', body: first.patch } as const;
  const observed_at = new Date().toISOString();
  const observations = changes.map(({ index, patch }) => ({ id: ids[index], ...patch, observed_at }));
  return { path: '/observations', method: 'POST', body: { observations } } as const;
}

function update(): void {
  const taken = new Set<number>();
  const changes = Array.from({ length: spec.batch }, () => {
    const one = change(taken);
    taken.add(one.index);
    return one;
  });
  const { latenciesMs, failures } = counts;
  const startedAt = performance.now();
  const failed = (what: string, times = changes.length) => {
    failures[what] = (failures[what] ?? 0) + times;
  };
  const { path, method, body } = requestOf(changes);
  const answer = producer
    .request({
      path: `/internal/v1/signals${path}`,
      method,
      headers: { authorization: `Bearer ${spec.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    .then(async ({ statusCode, body: answered }) => {
      if (statusCode !== 200) {
        await answered.dump();
        return failed(String(statusCode));
      }
      const { data } = (await answered.json()) as { data: { failed?: number } };
      const refused = data.failed ?? 0;
      if (refused > 0) failed('in a report', refused);
      const tookMs = performance.now() - startedAt;
      for (let n = refused; n < changes.length; n += 1) latenciesMs.push(tookMs);
      counts.statusChanges += changes.filter(({ patch }) => 'status' in patch).length;
    })
    .catch((error: Error) => failed(error.message))
    .finally(() => {
      for (const index of taken) unanswered.delete(index);
    });
  for (const index of taken) unanswered.set(index, answer);
}

let rate = { perSecond: 0 };
async function run(own: UpdateOrder): Promise<void> {
  const startedAt = performance.now();
  for (let n = 0; rate === own && own.perSecond > 0; n += 1) {
    const waitMs = startedAt + ((n * spec.batch) / own.perSecond) * 1_000 - performance.now();
    if (waitMs > 0) await delay(waitMs);
    if (rate !== own) return;
    if (unanswered.size >= Math.min(mostUnanswered, ids.length / 2)) counts.leftOut += spec.batch;
    else update();
  }
}

async function obey(order: UpdateOrder): Promise<void> {
  const { since, latenciesMs, failures, statusChanges, leftOut } = counts;
  const done: UpdateCounts = {
    answered: latenciesMs.length,
    statusChanges,
    leftOut,
    failures: { ...failures },
    perSecond: (latenciesMs.length * 1_000) / (performance.now() - since),
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  };
  counts = newCounts();
  if (order.perSecond !== rate.perSecond) {
    rate = order;
    void run(order);
  }
  if (order.perSecond === 0) await Promise.all(unanswered.values());
  process.send?.(done);
}

process.on('message', (order: UpdateOrder) => void obey(order));
process.once('disconnect', () => process.exit());
