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

function update(): void {
  let index = below(ids.length);
  // Two updates of one signal at once might arrive in the other order, and the rules refuse the status then.
  while (unanswered.has(index)) index = below(ids.length);
  const choices = following[statuses[index] ?? 'dead'];
  const status = Math.random() < statusShare ? choices[below(choices.length)] : undefined;
  const patch: SignalPatch = { metrics: metrics(), ...(status && { status }) };
  if (status) statuses[index] = status;
  const { latenciesMs, failures } = counts;
  const startedAt = performance.now();
  const failed = (what: string) => {
    failures[what] = (failures[what] ?? 0) + 1;
  };
  const answer = producer
    .request({
      path: `/internal/v1/signals/${ids[index]}`,
      method: 'PATCH',
      headers: { authorization: `Bearer ${spec.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(patch),
    })
    .then(async ({ statusCode, body }) => {
      await body.dump();
      if (statusCode !== 200) return failed(String(statusCode));
      latenciesMs.push(performance.now() - startedAt);
      if (status) counts.statusChanges += 1;
    })
    .catch((error: Error) => failed(error.message))
    .finally(() => unanswered.delete(index));
  unanswered.set(index, answer);
}

let rate = { perSecond: 0 };
async function run(own: UpdateOrder): Promise<void> {
  const startedAt = performance.now();
  for (let n = 0; rate === own && own.perSecond > 0; n += 1) {
    const waitMs = startedAt + (n / own.perSecond) * 1_000 - performance.now();
    if (waitMs > 0) await delay(waitMs);
    if (rate !== own) return;
    if (unanswered.size >= Math.min(mostUnanswered, ids.length / 2)) counts.leftOut += 1;
    else update();
  }
}

async function obey(order: UpdateOrder): Promise<void> {
  const { since, latenciesMs, failures, statusChanges, leftOut } = counts;
  const done: UpdateCounts = {
    ...{ answered: latenciesMs.length, statusChanges, leftOut, failures: { ...failures } },
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
