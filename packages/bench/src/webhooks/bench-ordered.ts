import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@sigcast/testing';
import { say } from '../report.ts';
import { type Rig, startRig } from './rig.ts';

const events = 500;
/** How long the receivers take to answer, in milliseconds. */
const answerMs = 10;

/** What order costs: the same events to a subscription that is ordered, and then to one that is not. */
export async function benchOrdered(scope: AsyncDisposableStack): Promise<void> {
  const rig = await startRig(scope, say);
  await rig.subscribe(1, { types: ['new'], ordered: true });
  await rig.subscribe(2, { types: ['premium'] });
  const rates = { ordered: 0, unordered: 0 };
  for (let round = 0; round < 2; round++) {
    rates.ordered = await deliveriesPerSecond(rig, 'new');
    rates.unordered = await deliveriesPerSecond(rig, 'premium');
    say(
      `round ${round + 1}: ${rates.ordered.toFixed(0)}/s in order, ${rates.unordered.toFixed(0)}/s otherwise`,
    );
  }
  say(`ordered / unordered: ${(rates.ordered / rates.unordered).toFixed(2)}`);
}

/** Delivers events to the subscription that wants their type, as fast as possible. The first time its address is yet unproven. */
async function deliveriesPerSecond(rig: Rig, type: 'new' | 'premium'): Promise<number> {
  const arrivals: number[] = [];
  rig.onWebhook = ({ at }, response) => {
    arrivals.push(at);
    void delay(answerMs).then(() => response.writeHead(200).end());
  };
  await rig.write(
    Array.from({ length: events }, (_, n) => n),
    type,
  );
  await eventually(
    () => {
      if (arrivals.length < events) throw new Error(`${arrivals.length} of ${events}`);
    },
    { timeoutMs: 120_000 },
  );
  return (1_000 * (arrivals.length - 1)) / ((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0));
}
