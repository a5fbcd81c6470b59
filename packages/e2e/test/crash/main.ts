// Usage: npx pnpm@12 test:crash [disasters] [signals] [seed]
// `each` in place of a number lets every disaster happen once. `log=100` lets so many happen that the public log is concerned
// with, under 50 signals a second; `log=0` measures how long signals need into the log without any.
import { inspect } from 'node:util';
import { disasterNames } from './disasters.ts';
import { runCrashes } from './run.ts';

const [disasters = '170', ...numbers] = process.argv.slice(2);
const each = disasters === 'each';
const ofLog = /^log=(\d+)$/.exec(disasters)?.[1];
const [minSignals = each ? 100 : 1_700, seed = Date.now() % 1_000_000] = numbers.map(Number);
const logWeights = [
  [40, 'kill tracker'],
  [40, 'kill signals'],
  [20, 'stop store'],
] as const;
const say = (line: string) => process.stdout.write(`${line}\n`);
say(`seed ${seed}: npx pnpm@12 test:crash ${disasters} ${minSignals} ${seed}`);
try {
  const report = await runCrashes({
    seed,
    disasters: each
      ? disasterNames
      : {
          count: Number(ofLog ?? disasters),
          // Disasters that last many seconds are rare, or they would take up the whole run.
          weights: ofLog
            ? logWeights
            : [
                [20, 'kill worker'],
                [20, 'kill worker during an attempt'],
                [20, 'kill signals'],
                [30, 'kill both'],
                [2, 'stop broker'],
                [2, 'kill broker'],
                [2, 'delete queues'],
                [1, 'kill broker with new queues'],
                [2, 'wipe broker'],
                [1, 'wipe broker, kill the new one'],
                [3, 'slow link to the broker'],
                [3, 'stop store'],
              ],
        },
    minSignals,
    ...(ofLog ? { signalsPerSecond: 50, subscribers: 0 } : { signalsPerSecond: 5 }),
    maxPauseMs: 1_500,
    report: say,
  });
  say(JSON.stringify({ seed, ...report }, undefined, 2));
} catch (error) {
  // `inspect` also shows errors of the clean-up.
  say(`FAILED with seed ${seed}: ${inspect(error)}`);
  process.exitCode = 1;
}
process.exit();
