import { atLeast, atMost, type Bench, percentile, say } from '../frame.ts';
import { benchStores } from '../system.ts';
import { type Contender, startContenders } from './contenders.ts';
import { manyConnections, measure, paired, requireOnly, takeTurns } from './turns.ts';

/**
 * The gateway beside a proxy that does nothing else, beside what one would assemble from parts, and beside the gateway of
 * another checkout if one is named. `seconds`: of each measurement. All take turns, `rounds` times, so that a noisy moment of
 * the machine hits every one of them.
 */
export const gateway: Bench = {
  parameters: { rounds: 5, seconds: 3, checkout: '' },
  run: async (scope, given) => {
    const { backing } = await benchStores(scope, process.env);
    const all = await startContenders(scope, backing, given.text('checkout'));
    const { bare, assembled, accepting, unlogged, traced, other } = all;
    const accepted = [bare, assembled, accepting, unlogged, traced, ...(other ? [other] : [])];
    const refused = [all.limited, all.badKey];
    const [rounds, durationMs] = [given.number('rounds'), given.number('seconds') * 1_000];

    say('warming up');
    for (const contender of [all.direct, ...accepted, ...refused]) {
      await measure(contender, manyConnections, durationMs);
    }
    const many = await takeTurns([...accepted, ...refused], {
      connections: manyConnections,
      rounds,
      durationMs,
    });
    const one = await takeTurns([all.direct, bare, accepting], {
      connections: 1,
      rounds,
      durationMs: Math.ceil(durationMs / 3),
    });

    for (const contender of accepted) requireOnly(many, contender, '200');
    requireOnly(many, all.limited, '429');
    const median = (...of: Parameters<typeof paired>) => percentile(paired(...of), 0.5);
    const ratio = (contender: Contender, beside: Contender) =>
      median(many, contender, beside, (sample, its) => sample.perSecond / its.perSecond);
    atLeast('(c) / (a)', ratio(accepting, bare), 0.6);
    atLeast('(c) / (b)', ratio(accepting, assembled), 2);
    atLeast(`${traced.name} / untraced`, ratio(traced, accepting), 0.95);
    atLeast(`(c) / ${unlogged.name}`, ratio(accepting, unlogged), 0.97);
    const slower = median(many, accepting, unlogged, (sample, its) => sample.p99Ms / its.p99Ms);
    atMost(`(c) / ${unlogged.name}, p99`, slower, 1.03);
    if (other) say(`(c) / ${other.name}: ${ratio(accepting, other).toFixed(2)}`);
    const added = median(one, accepting, all.direct, (sample, its) => sample.p50Ms - its.p50Ms);
    atMost('p50 added at one connection, ms', added, 0.5);
    for (const contender of refused) {
      atLeast(`${contender.name} / accepted`, ratio(contender, accepting), 1.5);
    }
  },
};
