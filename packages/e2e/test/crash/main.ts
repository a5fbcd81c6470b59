// Usage: npx pnpm@12 test:crash [disasters] [signals] [seed]
// `each` in place of a number lets every disaster happen once.
import { inspect } from 'node:util';
import { disasterNames } from './disasters.ts';
import { runCrashes } from './run.ts';

const [disasters = '170', ...numbers] = process.argv.slice(2);
const each = disasters === 'each';
const [minSignals = each ? 100 : 1_700, seed = Date.now() % 1_000_000] = numbers.map(Number);
const say = (line: string) => process.stdout.write(`${line}\n`);
say(`seed ${seed}: npx pnpm@12 test:crash ${disasters} ${minSignals} ${seed}`);
try {
  const report = await runCrashes({
    seed,
    disasters: each
      ? disasterNames
      : {
          count: Number(disasters),
          // Disasters that last many seconds are rare, or they would take up the whole run.
          weights: [
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
    signalsPerSecond: 5,
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
