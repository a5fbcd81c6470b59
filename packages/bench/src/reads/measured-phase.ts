import type { Statistics } from '@sigcast/contracts';
import type { FilledSystem } from '../filled-system.ts';
import { type CommandCounts, commandsPer, type StoreView } from '../store-view.ts';
import { type Group, groups, type Kind, kinds } from './kinds.ts';
import { childrensCpuS } from './process-cpu.ts';
import { everyMs, type Read, readSteadily } from './steady-reads.ts';
import type { UpdateCounts, Updates } from './updates.ts';

/** In which the system is asked the same, and the signals change at one rate. */
export type Phase = {
  readonly name: string;
  /** Updates a second that are due. */
  readonly rate: number;
  /** Of the statistics. */
  readonly replicas: number;
  /** Whether signals are imported meanwhile. */
  readonly isImporting?: boolean;
};

/** What was seen in a phase. */
export type Measured = {
  readonly phase: Phase;
  /** Of answers with status 200. */
  readonly latenciesMs: Readonly<Record<Group, readonly number[]>>;
  /** Reads that were not answered with 200. */
  readonly failedReads: number;
  /** How far `as_of` was behind when its answer was here. */
  readonly asOfLagsMs: readonly number[];
  readonly updates: UpdateCounts;
  /** Undefined where the store doesn't count. */
  readonly commands: CommandCounts | undefined;
  /** CPU seconds by process. */
  readonly cpuS: ReadonlyMap<string, number>;
  readonly seconds: number;
};

/** What is measured: the system by way of one gateway, its store, and the process that updates signals. */
export type Subject = {
  readonly read: Pick<FilledSystem, 'get' | 'ids' | 'deepestCursor'>;
  readonly store: StoreView;
  readonly updates: Updates;
  /** Names of processes, by id. */
  readonly names: ReadonlyMap<number, string>;
};

/** As many reads of each group, each kind of a group in turn. */
const sequence: readonly Kind[] = (() => {
  const of = (group: Group) => kinds.filter((kind) => kind.group === group);
  const most = Math.max(...groups.map((group) => of(group).length));
  return Array.from({ length: most }, (_, turn) =>
    groups.flatMap((group) => of(group).slice(turn % of(group).length)[0] ?? []),
  ).flat();
})();

const turnsIn = (ms: number) => Math.ceil(ms / (everyMs * sequence.length));
/** Processes just started are slower for some 1,500 requests; and what writes leave behind has to be usual. */
const warmUpTurns = turnsIn(30_000);
const measuredTurns = turnsIn(90_000);

/** Sets the rate of updates, lets the system get used to it for 30 s, and measures for 90 s. The rate stays. */
export async function measurePhase(phase: Phase, subject: Subject): Promise<Measured> {
  const { read, store, updates, names } = subject;
  await updates.setRate(phase.rate);
  await readSteadily(read, sequence, warmUpTurns, () => undefined);

  const latenciesMs: Record<Group, number[]> = { list: [], detail: [], statistics: [] };
  const asOfLagsMs: number[] = [];
  let failedReads = 0;
  const seen = ({ kind, ms, status, body }: Read) => {
    if (status !== 200) {
      failedReads += 1;
      return;
    }
    latenciesMs[kind.group].push(ms);
    if (kind.group === 'statistics')
      asOfLagsMs.push(Date.now() - Date.parse((body.data as Statistics).as_of));
  };
  await updates.setRate(phase.rate);
  const [startedAt, cpuBefore, commandsBefore] = [
    performance.now(),
    childrensCpuS(names),
    await store.commands(),
  ];
  await readSteadily(read, sequence, measuredTurns, seen);
  const counts = await updates.setRate(phase.rate);
  const [commandsAfter, cpuAfter] = [await store.commands(), childrensCpuS(names)];
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    phase,
    latenciesMs,
    failedReads,
    asOfLagsMs,
    updates: counts,
    seconds,
    commands: commandsPer(commandsBefore, commandsAfter, seconds),
    cpuS: new Map([...cpuAfter].map(([name, used]) => [name, used - (cpuBefore.get(name) ?? 0)])),
  };
}
