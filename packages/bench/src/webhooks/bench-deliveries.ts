import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@sigcast/testing';
import { childrensCpuS } from '../reads/process-cpu.ts';
import { atLeast, atMost, say } from '../report.ts';
import { cpuMs, median, residentMb } from '../run-load.ts';
import { commandsPer, describeCommands, total } from '../store-view.ts';
import { benchWorkers } from './bench-workers.ts';
import { mostPerAccount, quantile, type Rig, startRig } from './rig.ts';

/**
 * Measures signed deliveries a second, the time from a write to a receiver, and one event to very many subscribers. With
 * `throughput`, only the first of these, for that many rounds; with `workers`, what a second worker adds.
 */
export async function benchDeliveries(
  scope: AsyncDisposableStack,
  [only, rounds, perAccount]: readonly string[],
): Promise<void> {
  if (only === 'workers') return benchWorkers(scope);
  const rig = await startRig(scope, say, { perAccount: Number(perAccount ?? mostPerAccount) });
  if (only === 'throughput') {
    await rig.subscribe(20);
    return throughput(rig, Number(rounds ?? 6));
  }
  await rig.subscribe(1);
  await latency(rig);
  await rig.subscribe(20);
  await throughput(rig, 3);
  say('subscribing 5,000');
  await rig.subscribe(5_000);
  await toEverybody(rig, 5_000);
  say('subscribing 10,000');
  await rig.subscribe(10_000);
  await toEverybody(rig, 10_000, 6_000);
  await manyToEverybody(rig, 10_000);
}

/** Delivers 50 events a second to one subscriber: the time from sending a write to the first byte at the subscriber. */
async function latency(rig: Rig): Promise<void> {
  const [perSecond, seconds] = [50, 10];
  const ways = new Map<number, number>();
  const sent = new Map<number, number>();
  rig.onWebhook = ({ signal, at }, response) => {
    response.writeHead(200).end();
    if (!ways.has(signal)) ways.set(signal, at - (sent.get(signal) ?? Number.NaN));
  };
  const writes: Promise<void>[] = [];
  for (let n = 0; n < perSecond * (seconds + 2); n++) {
    sent.set(n, performance.now());
    writes.push(rig.write([n]));
    await delay(1_000 / perSecond);
  }
  await Promise.all(writes);
  await eventually(() => reached(ways.size, sent.size), { timeoutMs: 30_000 });
  // The first two seconds warm up.
  const measured = [...ways].filter(([n]) => n >= perSecond * 2).map(([, ms]) => ms);
  const [p50, p99] = [0.5, 0.99].map((part) => quantile(measured, part).toFixed(1));
  say(`${measured.length} events at ${perSecond}/s: p50 ${p50} ms, p99 ${p99} ms`);
  atMost('p95 from a write to the first byte, ms', quantile(measured, 0.95), { bound: 100, digits: 0 });
}

/**
 * Delivers 300 events to 20 subscribers each, as fast as possible. Subscribers of one account share a bound of 100 requests
 * in flight at their host, so most deliveries wait in lanes; with an account each, most begin at once.
 */
async function throughput(rig: Rig, rounds: number): Promise<void> {
  const rates: number[] = [];
  const worker = rig.system.processes['webhooks-worker'].pid ?? 0;
  const names = new Map(
    Object.entries(rig.system.processes).map(([name, { pid = 0 }]): [number, string] => [pid, name]),
  );
  for (let round = 0; round < rounds; round++) {
    const [signals, subscribers] = [300, 20];
    const arrivals: number[] = [];
    rig.onWebhook = ({ at }, response) => {
      arrivals.push(at);
      response.writeHead(200).end();
    };
    const commandsBefore = await rig.store.commands();
    const [cpu, before, startedAt] = [cpuMs(worker), childrensCpuS(names), performance.now()];
    await rig.write(Array.from({ length: signals }, (_, n) => n));
    await eventually(() => reached(arrivals.length, signals * subscribers), { timeoutMs: 120_000 });
    const elapsedS = ((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)) / 1_000;
    rates.push(arrivals.length / elapsedS);
    const perDelivery = (cpuMs(worker) - cpu) / arrivals.length;
    const [elapsedMs, after, commandsAfter] = [
      performance.now() - startedAt,
      childrensCpuS(names),
      await rig.store.commands(),
    ];
    const each = commandsPer(commandsBefore, commandsAfter, arrivals.length);
    say(
      `${arrivals.length} deliveries in ${elapsedS.toFixed(1)} s, worker CPU ${perDelivery.toFixed(2)} ms each, ` +
        `${each ? total(each).toFixed(2) : 'not counted:'} store commands each (all services')`,
    );
    say(`  commands a second: ${describeCommands(commandsBefore, commandsAfter, elapsedMs / 1_000)}`);
    say(`  of a core: ${describeShares(before, after, elapsedMs)}`);
    await delay(1_000);
  }
  atLeast('signed deliveries/s', median(rates), { bound: 800, digits: 0 });
}

/** Delivers one event to every subscriber. */
async function toEverybody(rig: Rig, subscribers: number, mostMs = 10_000): Promise<void> {
  const arrived = new Map<string, number>();
  rig.onWebhook = ({ path, at }, response) => {
    response.writeHead(200).end();
    if (!arrived.has(path)) arrived.set(path, at);
  };
  const sent = performance.now();
  await rig.write([0]);
  await eventually(() => reached(arrived.size, subscribers), { timeoutMs: 120_000 });
  const all = [...arrived.values()].map((at) => at - sent);
  say(`one event to ${subscribers}: first byte p50 ${quantile(all, 0.5).toFixed(0)} ms`);
  atMost('last first byte of one event, ms', Math.max(...all), { bound: mostMs, digits: 0 });
}

/** Delivers 20 events at once, each to every subscriber: the worker's memory meanwhile, and deliveries sent twice. */
async function manyToEverybody(rig: Rig, subscribers: number): Promise<void> {
  const events = 20;
  const arrived = new Set<string>();
  let twice = 0;
  rig.onWebhook = ({ path, signal }, response) => {
    response.writeHead(200).end();
    const key = `${path} ${signal}`;
    if (arrived.has(key)) twice += 1;
    arrived.add(key);
  };
  const worker = rig.system.processes['webhooks-worker'].pid ?? 0;
  const before = residentMb(worker);
  let most = before;
  const watching = setInterval(() => {
    most = Math.max(most, residentMb(worker));
  }, 200);
  const startedAt = performance.now();
  await rig.write(Array.from({ length: events }, (_, n) => n));
  await eventually(() => reached(arrived.size, events * subscribers), { timeoutMs: 600_000, everyMs: 200 });
  clearInterval(watching);
  const seconds = (performance.now() - startedAt) / 1_000;
  say(
    `${events} events to ${subscribers} in ${seconds.toFixed(0)} s, ` +
      `worker's memory ${before.toFixed(0)} MB before, ${most.toFixed(0)} MB at most`,
  );
  atMost('deliveries sent twice', twice, { bound: 0, digits: 0 });
}

function reached(count: number, wanted: number): void {
  if (count < wanted) throw new Error(`${count} of ${wanted}`);
}

/** CPU time between two measurements as parts of a core, the largest first: `mongo 81 %`. `bench`: receivers and producer. */
function describeShares(
  from: ReadonlyMap<string, number>,
  to: ReadonlyMap<string, number>,
  elapsedMs: number,
): string {
  return [...to]
    .map(([name, cpuS]) => [name, (100_000 * (cpuS - (from.get(name) ?? 0))) / elapsedMs] as const)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, percent]) => `${name} ${percent.toFixed(0)} %`)
    .join(', ');
}
