// Usage: npx pnpm@12 test:crash [disasters] [signals] [seed]
import { runCrashes } from './run.ts';

const [count = 170, minSignals = 1_700, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
const say = (line: string) => process.stdout.write(`${line}\n`);
say(`seed ${seed}: npx pnpm@12 test:crash ${count} ${minSignals} ${seed}`);
try {
  const report = await runCrashes({
    seed,
    disasters: {
      count,
      weights: [
        ...([
          [20, 'kill worker'],
          [20, 'kill worker during an attempt'],
          [20, 'kill signals'],
          [30, 'kill both'],
          [2, 'stop broker'],
          [2, 'kill broker'],
          [2, 'delete queues'],
          [2, 'wipe broker'],
          [3, 'stop store'],
        ] as const),
      ],
    },
    minSignals,
    signalsPerSecond: 5,
    maxPauseMs: 1_500,
    report: say,
  });
  say(JSON.stringify({ seed, ...report }, undefined, 2));
} catch (error) {
  say(`FAILED with seed ${seed}: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
process.exit();
