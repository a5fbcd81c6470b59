import { total } from '../store-view.ts';
import { groups } from './kinds.ts';
import type { Measured } from './measured-phase.ts';
import { percentile } from './steady-reads.ts';

/** A phase in lines, latencies beside those of the phase without writes. */
export function describe(measured: Measured, without: Measured): readonly string[] {
  const { phase, latenciesMs, failedReads, asOfLagsMs, updates, seconds } = measured;
  const reads = groups.map((group) => {
    const [p50, p99] = [percentile(latenciesMs[group], 0.5), percentile(latenciesMs[group], 0.99)];
    const ratios = [0.5, 0.99].map((share) => ratio(measured, without, group, share).toFixed(2));
    return (
      `  ${group.padEnd(10)} ${String(latenciesMs[group].length).padStart(5)} reads   ` +
      `p50 ${p50.toFixed(1).padStart(7)} ms  p99 ${p99.toFixed(1).padStart(7)} ms   ratios ${ratios.join(' and ')}`
    );
  });
  const failures = Object.entries(updates.failures).map(([what, count]) => `${what}: ${count}`);
  return [
    '',
    `${phase.name} (${seconds.toFixed(0)} s)`,
    ...reads,
    `  reads that failed: ${failedReads}; as_of behind the answer: p50 ${percentile(asOfLagsMs, 0.5).toFixed(0)} ms, ` +
      `p99 ${percentile(asOfLagsMs, 0.99).toFixed(0)} ms`,
    ...(phase.rate > 0
      ? [
          `  updates: ${updates.perSecond.toFixed(0)}/s answered (p50 ${updates.p50Ms.toFixed(1)} ms, ` +
            `p99 ${updates.p99Ms.toFixed(1)} ms), ${updates.statusChanges} changes of status; ` +
            `${updates.leftOut} left out; failed: ${failures.join(', ') || 0}`,
        ]
      : []),
    ...commandLines(measured),
    `  CPU seconds: ${byAmount(measured.cpuS, 1)}`,
  ];
}

function commandLines({ commands }: Measured): readonly string[] {
  if (commands === undefined) return ['  this store does not count commands by database'];
  return [
    `  store commands/s: ${total(commands).toFixed(0)}`,
    ...[...commands].map(([service, counts]) => {
      const sum = total(new Map([[service, counts]]));
      return `    ${service.padEnd(8)} ${sum.toFixed(0).padStart(6)}: ${byAmount(counts, 1)}`;
    }),
  ];
}

/** Whether what was wanted is reached. */
export function bars(done: readonly Measured[]): readonly string[] {
  const [without, ...others] = done;
  if (without === undefined) return [];
  const bar = (what: string, passes: boolean) => `${passes ? 'PASS ' : 'SHORT'}  ${what}`;
  const written = others.filter(({ phase }) => phase.rate > 0 && phase.replicas === 1);
  const lines = written.flatMap((measured) => {
    const { phase, updates, failedReads } = measured;
    const most = phase.isImporting ? 2 : phase.rate <= 400 ? 1.5 : 2.5;
    const failed = failedReads + Object.values(updates.failures).reduce((sum, count) => sum + count, 0);
    return [
      bar(
        `${phase.name}: ${updates.perSecond.toFixed(0)} updates a second answered (wanted ≥ ${(0.95 * phase.rate).toFixed(0)})`,
        carried(measured),
      ),
      bar(`${phase.name}: reads and updates that failed: ${failed} (wanted 0)`, failed === 0),
      ...groups.map((group) => {
        const p99 = ratio(measured, without, group, 0.99);
        return bar(
          `${phase.name}: ${group} p99 / without: ${p99.toFixed(2)} (wanted ≤ ${most})`,
          p99 <= most,
        );
      }),
    ];
  });
  const several = others.find(({ phase }) => phase.replicas > 1);
  const one = written.find(({ phase }) => phase.rate === several?.phase.rate);
  if (several?.commands === undefined || one?.commands === undefined) return lines;
  const commands = total(several.commands) / total(one.commands);
  const [answered, beside] = [several, one].map(({ updates }) => updates.perSecond.toFixed(0));
  const what =
    `store commands a second, ${several.phase.replicas} replicas of stats / one: ${commands.toFixed(2)} (wanted ≤ 1.3), ` +
    `at ${answered} / ${beside} updates a second (wanted ${one.phase.rate})`;
  return [...lines, bar(what, commands <= 1.3 && carried(several) && carried(one))];
}

/** Fewer updates than were due make fewer commands, which is no merit. */
function carried({ phase, updates }: Measured): boolean {
  return updates.perSecond >= 0.95 * phase.rate;
}

function ratio(measured: Measured, without: Measured, group: (typeof groups)[number], share: number): number {
  return percentile(measured.latenciesMs[group], share) / percentile(without.latenciesMs[group], share);
}

/** The largest first; what rounds to nothing is left out. */
function byAmount(amounts: ReadonlyMap<string, number>, digits: number): string {
  return [...amounts]
    .filter(([, amount]) => amount >= 0.5 * 10 ** -digits)
    .sort(([, a], [, b]) => b - a)
    .map(([name, amount]) => `${name} ${amount.toFixed(digits)}`)
    .join(', ');
}
