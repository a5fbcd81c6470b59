import { eventually } from '@sigcast/testing';
import { atMost, type Bench, latencyCells, percentile, say, table } from './frame.ts';
import { benchSystem, sayUsed } from './system.ts';

/** All processes of a system, whose stores run, start at once: the first answer of the API, and all ready. */
export const start: Bench = {
  parameters: { rounds: 5 },
  run: async (scope, given) => {
    const { system, get, measure } = await benchSystem(scope);
    const all = Object.values(system.processes);
    const [answersMs, readyMs]: [number[], number[]] = [[], []];
    const rounds = given.number('rounds');
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(all.map((process) => process.stop()));
      const stop = await measure();
      const startedAt = performance.now();
      const firstAnswer = eventually(
        async () => {
          const { status } = await get('/v1/stats');
          if (status !== 200) throw new Error(`the API answers ${status}`);
        },
        { everyMs: 10, timeoutMs: 60_000 },
      ).then(() => answersMs.push(performance.now() - startedAt));
      await Promise.all(all.map((process) => process.start()));
      readyMs.push(performance.now() - startedAt);
      await firstAnswer;
      sayUsed(await stop(), 'starts', 1);
    }
    say(`${rounds} starts of ${all.length} processes`);
    table([
      { until: 'first answer', ...latencyCells(answersMs) },
      { until: 'all ready', ...latencyCells(readyMs) },
    ]);
    atMost('all ready, ms', percentile(readyMs, 0.5), 10_000);
  },
};
