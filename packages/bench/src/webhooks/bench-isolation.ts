import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@sigcast/testing';
import { median } from '../run-load.ts';
import { quantile, type Rig, startRig } from './rig.ts';

const subscribers = 200;
const hanging = 60;
const perSecond = 2;
const rounds = 3;
const roundMs = 12_000;

const say = (line: string) => process.stdout.write(`${line}\n`);

/** What 60 of 200 subscribers that never answer do to the other 140: the same load with and without their silence. */
export async function benchIsolation(scope: AsyncDisposableStack): Promise<void> {
  const rig = await startRig(scope, say);
  await rig.subscribe(subscribers);
  let next = 0;
  const round = async (silent: boolean) => {
    const ways = await measure(rig, next, silent);
    next += 1_000_000;
    const p99 = quantile(ways, 0.99);
    say(
      `${silent ? '60 hang' : 'all answer'}: ${ways.length} first attempts to the 140, ` +
        `p50 ${quantile(ways, 0.5).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
    );
    return p99;
  };
  await round(false);
  const ratios: number[] = [];
  for (let n = 0; n < rounds; n++) {
    const without = await round(false);
    const ratio = (await round(true)) / without;
    ratios.push(ratio);
    await delay(20_000); // the last of the silent ones' attempts and retries
  }
  const ratio = median(ratios);
  say(`${ratio <= 1.3 ? 'PASS ' : 'SHORT'}  p99 with / without: ${ratio.toFixed(2)} (wanted ≤ 1.30)`);
}

/** Writes for a while and returns the ways of first attempts to the ones that always answer, in milliseconds. */
async function measure(rig: Rig, from: number, silent: boolean): Promise<number[]> {
  const sent = new Map<number, number>();
  const ways: number[] = [];
  rig.onWebhook = ({ path, signal, attempt, at }, response) => {
    const healthy = Number(path.slice(1)) >= hanging;
    if (healthy || !silent) response.writeHead(200).end();
    const sentAt = sent.get(signal);
    if (healthy && attempt === 1 && sentAt !== undefined) ways.push(at - sentAt);
  };
  const events = (roundMs / 1_000) * perSecond;
  for (let n = from; n < from + events; n++) {
    sent.set(n, performance.now());
    await rig.write([n]);
    await delay(1_000 / perSecond);
  }
  const wanted = events * (subscribers - hanging);
  await eventually(
    () => {
      if (ways.length < wanted) throw new Error(`${ways.length} of ${wanted}`);
    },
    { timeoutMs: 60_000 },
  );
  return ways;
}
