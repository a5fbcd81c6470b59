import { processNames } from '@sigcast/local';
import { eventually } from '@sigcast/testing';
import { atMost, atRate, type Bench, say, sum, table } from './frame.ts';
import { startReceivers, Ways } from './receivers.ts';
import { signalOf } from './signals.ts';
import { type BenchSystem, benchSystem, cpuSOf } from './system.ts';

const subscribers = 20;
/** What each replica of a system is given to do in a second. */
const work = { signals: 2, lists: 20 } as const;
const counts = [1, 2, 4] as const;

/**
 * The CPU time of one, two and four replicas of each process, which have as much work each: so many signals, their deliveries to
 * 20 subscribers, and lists of signals. `seconds`: measured with each number of replicas, after as many that warm up.
 */
export const replicas: Bench = {
  parameters: { seconds: 30 },
  run: async (_scope, given) => {
    const seconds = given.number('seconds');
    const used = new Map<number, ReadonlyMap<string, number>>();
    for (const count of counts) {
      await using scope = new AsyncDisposableStack();
      used.set(count, await cpuOf(scope, count, seconds));
    }
    const msOf = (count: number, name: string) =>
      (1_000 * (used.get(count)?.get(name) ?? 0)) / count / seconds;
    const total = (count: number) => sum(processNames.map((name) => msOf(count, name)));
    say('CPU ms of a replica in each second');
    table([
      ...processNames.map((name) => ({ process: name, ...cells((count) => msOf(count, name)) })),
      { process: 'all', ...cells(total) },
    ]);
    for (const count of counts.slice(1))
      atMost(`CPU of a replica among ${count} / alone`, total(count) / total(1), 1.05);
  },
};

function cells(of: (count: number) => number): Record<string, number> {
  return Object.fromEntries(counts.map((count) => [`of ${count}`, of(count)]));
}

/** CPU seconds by process, of all replicas together, while so many work. */
async function cpuOf(
  scope: AsyncDisposableStack,
  count: number,
  seconds: number,
): Promise<ReadonlyMap<string, number>> {
  const first = await benchSystem(scope);
  const all: BenchSystem[] = [first];
  while (all.length < count) all.push(await benchSystem(scope, first));
  const receivers = await startReceivers(scope, first);
  for (let n = 0; n < subscribers; n += 1) await receivers.subscribe(`/${n}`, 'new', `replicas${n}`);
  const ways = new Ways();
  receivers.onWebhook = (webhook) => ways.arrived(webhook);

  const load = async () => {
    const endsAt = performance.now() + 1_000 * seconds;
    const isOver = () => performance.now() >= endsAt;
    await Promise.all(
      all.flatMap(({ produce, get }) => [
        atRate(work.signals, isOver, () => produce('POST', '', signalOf(ways.next(), 'new'))),
        atRate(work.lists, isOver, () => get('/v1/signals')),
      ]),
    );
    await eventually(() => ways.requireAll(), { timeoutMs: 60_000 });
  };
  say(`${count} of each process`);
  await load();
  const stops = await Promise.all(all.map(({ measure }) => measure()));
  await load();
  const measured = await Promise.all(stops.map((stop) => stop()));
  return new Map(
    processNames.map((name) => [
      name,
      sum(measured.map((one) => cpuSOf(one, (process) => process === name))),
    ]),
  );
}
