import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@sigcast/testing';
import { atLeast, say } from '../report.ts';
import { median } from '../run-load.ts';
import { type Rig, startRig } from './rig.ts';

/** Attempts in flight at once in one worker: so few that slow receivers, and not its core, are the limit. */
const perWorker = 100;
/** How long the receivers take to answer, in milliseconds. */
const answerMs = 200;
/** Each has an account of its own, so that neither the bound of a subscription nor that of an account at a host is reached. */
const subscribers = 200;
const eventsPerRound = 20;
const rounds = 3;
/** How long workers take to share the subscriptions after one starts or ends, in milliseconds: a lease, and some heartbeats. */
const sharingMs = 15_000;

/** What a second worker adds where receivers take their time: one and two of them, in turns. */
export async function benchWorkers(scope: AsyncDisposableStack): Promise<void> {
  const settings = { WEBHOOK_MAX_IN_FLIGHT_PER_WORKER: String(perWorker) };
  const rig = await startRig(scope, say, { perAccount: 1, settings });
  await rig.subscribe(subscribers);
  say('warming up: every address answers for the first time');
  await deliveriesPerSecond(rig, 5);
  const rates = { one: [] as number[], two: [] as number[] };
  for (let round = 1; round <= rounds; round++) {
    rates.one.push(await deliveriesPerSecond(rig, eventsPerRound));
    const second = await rig.startWorker();
    await delay(sharingMs);
    rates.two.push(await deliveriesPerSecond(rig, eventsPerRound));
    await second.kill('SIGTERM');
    await delay(sharingMs);
    say(`round ${round}: ${rates.one.at(-1)?.toFixed(0)}/s by one, ${rates.two.at(-1)?.toFixed(0)}/s by two`);
  }
  atLeast('two workers / one', median(rates.two) / median(rates.one), { bound: 1.7, digits: 2 });
}

/** Delivers events as fast as possible. The time counts from the first delivery's first byte to the last one's. */
async function deliveriesPerSecond(rig: Rig, events: number): Promise<number> {
  const arrivals: number[] = [];
  rig.onWebhook = ({ at }, response) => {
    arrivals.push(at);
    setTimeout(() => response.writeHead(200).end(), answerMs);
  };
  await rig.write(Array.from({ length: events }, (_, n) => n));
  const wanted = events * subscribers;
  await eventually(
    () => {
      if (arrivals.length < wanted) throw new Error(`${arrivals.length} of ${wanted}`);
    },
    { timeoutMs: 120_000 },
  );
  await delay(2 * answerMs);
  return (1_000 * (arrivals.length - 1)) / ((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0));
}
