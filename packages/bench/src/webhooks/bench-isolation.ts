import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@sigcast/testing';
import { atMost, say } from '../report.ts';
import { cpuMs } from '../run-load.ts';
import { quantile, type Rig, startRig } from './rig.ts';

type Shape = {
  readonly subscribers: number;
  /** How many of them never answer, in the parts with silence. */
  readonly hanging: number;
  /** How long the others take to answer, in milliseconds. */
  readonly answerMs: number;
};
const quick: Shape = { subscribers: 200, hanging: 60, answerMs: 0 };
const slow: Shape = { subscribers: 340, hanging: 300, answerMs: 1_500 };
/** Events in one part. */
const eventsPerPart = 90;
/**
 * Twice a second on average, at random: at even intervals, all timeouts, 5 s after their events, would coincide with later
 * events. All parts use the same random intervals, so that they differ only by the silence.
 */
const intervalMs = () => 250 + 500 * Math.random();
/** Longer than an attempt and the pause before the second retry. The third retry comes after the bench has ended. */
const settleMs = 75_000;

/**
 * What 60 of 200 subscribers that never answer do to the other 140; with the argument `slow`, what 300 of 340 do to 40
 * that take 1.5 s to answer: the same load with and without their silence.
 * They keep silent long enough for their retries to pile up, and are measured between two parts without; before the
 * second of these they answer again until no retry is left.
 */
export async function benchIsolation(scope: AsyncDisposableStack, args: readonly string[]): Promise<void> {
  const shape = args[0] === 'slow' ? slow : quick;
  const { subscribers, hanging, answerMs } = shape;
  say(`${hanging} of ${subscribers} hang; the others answer after ${answerMs} ms`);
  const rig = await startRig(scope, say);
  await rig.subscribe(subscribers);
  const intervalsMs = Array.from({ length: eventsPerPart }, intervalMs);
  const receivers = new Receivers(rig, shape);
  const part = async (silent: boolean) => {
    receivers.silent = silent;
    const ways = await measure(rig, receivers, intervalsMs);
    say(`${silent ? 'some hang ' : 'all answer'}: ${describe(ways)}`);
    return ways;
  };
  say('warming up');
  await measure(rig, receivers, intervalsMs.slice(0, eventsPerPart / 3));
  const without = await part(false);
  const silence = [...(await part(true)), ...(await part(true))];
  receivers.silent = false;
  say(`waiting ${settleMs / 1_000} s for the retries`);
  await delay(settleMs);
  without.push(...(await part(false)));
  say(`without silence: ${describe(without)}`);
  say(`with silence:    ${describe(silence)}`);
  const ratio = quantile(silence, 0.99) / quantile(without, 0.99);
  atMost('p99 with / without', ratio, { bound: 1.3, digits: 2 });
}

function describe(ways: readonly number[]): string {
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(ways, share).toFixed(0));
  return `${ways.length} first attempts to the others, p50 ${p50} ms, p99 ${p99} ms`;
}

/** All receivers, told apart by their paths. The first `hanging` ones do not answer while `silent`. */
class Receivers {
  silent = false;
  readonly healthy: number;
  readonly #sentAt = new Map<number, number>();
  #ways: number[] = [];

  constructor(rig: Rig, { subscribers, hanging, answerMs }: Shape) {
    this.healthy = subscribers - hanging;
    rig.onWebhook = ({ path, signal, attempt, at }, response) => {
      const healthy = Number(path.slice(1)) >= hanging;
      if (!healthy && this.silent) return;
      const answer = () => response.writeHead(200).end();
      if (healthy && answerMs > 0) setTimeout(answer, answerMs);
      else answer();
      const sentAt = this.#sentAt.get(signal);
      if (healthy && attempt === 1 && sentAt !== undefined) this.#ways.push(at - sentAt);
    };
  }

  /** The number of a signal that is written now. */
  next(): number {
    const signal = this.#sentAt.size;
    this.#sentAt.set(signal, performance.now());
    return signal;
  }

  /** The times from writes to first attempts at those that always answer, in milliseconds, once there are `count`. */
  async ways(count: number): Promise<number[]> {
    await eventually(
      () => {
        if (this.#ways.length < count) throw new Error(`${this.#ways.length} of ${count}`);
      },
      { timeoutMs: 60_000 },
    );
    const ways = this.#ways;
    this.#ways = [];
    return ways;
  }
}

/** Writes one signal after each interval, without waiting for deliveries. */
async function measure(rig: Rig, receivers: Receivers, intervalsMs: readonly number[]): Promise<number[]> {
  const worker = rig.system.processes['webhooks-worker'].pid ?? 0;
  const [startedAt, cpu] = [performance.now(), cpuMs(worker)];
  const writes: Promise<void>[] = [];
  let at = startedAt;
  for (const intervalMs of intervalsMs) {
    at += intervalMs;
    await delay(Math.max(0, at - performance.now()));
    writes.push(rig.write([receivers.next()]));
  }
  await Promise.all(writes);
  const ways = await receivers.ways(intervalsMs.length * receivers.healthy);
  const busy = (cpuMs(worker) - cpu) / (performance.now() - startedAt);
  say(`worker: ${(100 * busy).toFixed(0)} % of a core`);
  return ways;
}
