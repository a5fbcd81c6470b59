import { benchStores } from '../bench-stores.ts';
import { atLeast, atMost, say } from '../report.ts';
import { cpuMs, type LoadResult, median, runLoad } from '../run-load.ts';
import { type Contender, startContenders } from './contenders.ts';

/** How often all contenders take turns, so that a noisy moment of the machine hits every one of them. */
const rounds = 5;
const warmUpMs = 3_000;
const measuredMs = 3_000;
const manyConnections = 50;

type Sample = LoadResult & { readonly cpuMsPerThousand: number };

/**
 * The gateway beside a proxy that does nothing else, beside what one would assemble from parts, and beside the gateway of
 * another checkout if there is one.
 */
export async function benchGateway(
  scope: AsyncDisposableStack,
  [otherCheckout]: readonly string[],
): Promise<void> {
  const { backing } = await benchStores(scope);
  const all = await startContenders(scope, backing, otherCheckout);
  const accepted = [all.bare, all.assembled, all.accepting, all.traced, ...(all.other ? [all.other] : [])];
  const refused = [all.limited, all.badKey];

  say('warming up');
  for (const contender of [all.direct, ...accepted, ...refused]) {
    await measure(contender, manyConnections, warmUpMs);
  }
  say(`${manyConnections} connections, ${rounds} rounds of ${measuredMs / 1000} s each`);
  const many = await takeTurns([...accepted, ...refused], manyConnections, measuredMs);
  say('one connection');
  const one = await takeTurns([all.direct, all.bare, all.accepting], 1, 1_000);

  for (const contender of accepted) expectOnly(many, contender, '200');
  expectOnly(many, all.limited, '429');

  say('');
  say(table('50 connections', many));
  say(table('1 connection', one));
  const rate = (contender: Contender) => middle(many, contender, 'perSecond');
  const added = pairedMedian(one, all.accepting, all.direct);
  atLeast('(c) / (a)', ratio(many, all.accepting, all.bare), { bound: 0.6, digits: 2 });
  atLeast('(c) / (b)', ratio(many, all.accepting, all.assembled), { bound: 2, digits: 2 });
  const traced = ratio(many, all.traced, all.accepting);
  atLeast(`${all.traced.name} / untraced`, traced, { bound: 0.95, digits: 2 });
  if (all.other) say(`(c) / ${all.other.name}: ${ratio(many, all.accepting, all.other).toFixed(2)}`);
  atMost('p50 added at one connection, ms', added, { bound: 0.5, digits: 2 });
  for (const contender of refused) {
    const speed = ratio(many, contender, all.accepting);
    atLeast(`${contender.name} / accepted`, speed, { bound: 1.5, digits: 2 });
  }
  say(`(c) accepts ${rate(all.accepting).toFixed(0)} requests/s here.`);
}

type Samples = ReadonlyMap<Contender, readonly Sample[]>;

async function takeTurns(
  contenders: readonly Contender[],
  connections: number,
  durationMs: number,
): Promise<Samples> {
  const samples = new Map(contenders.map((contender) => [contender, [] as Sample[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [contender, own] of samples) own.push(await measure(contender, connections, durationMs));
  }
  return samples;
}

async function measure({ url, headers, pid }: Contender, connections: number, durationMs: number) {
  const before = cpuMs(pid);
  const result = await runLoad({ url, headers, connections, durationMs });
  return { ...result, cpuMsPerThousand: ((cpuMs(pid) - before) / result.requests) * 1000 };
}

/** @throws when a contender gave other answers: its figures would not be comparable. */
function expectOnly(samples: Samples, contender: Contender, status: string): void {
  for (const { statuses, requests } of samples.get(contender) ?? []) {
    // The first request of a full bucket may still pass.
    if ((statuses[status] ?? 0) < requests - 2) {
      throw new Error(`${contender.name} answered ${JSON.stringify(statuses)} instead of ${status} alone`);
    }
  }
}

/** A contender's median over all rounds. */
function middle(samples: Samples, contender: Contender, what: 'perSecond' | 'p50Ms'): number {
  return median((samples.get(contender) ?? []).map((sample) => sample[what]));
}

/** The median over rounds of the quotient within a round. */
function ratio(samples: Samples, one: Contender, other: Contender): number {
  const others = samples.get(other) ?? [];
  return median(
    (samples.get(one) ?? []).map((sample, round) => sample.perSecond / (others[round]?.perSecond ?? 0)),
  );
}

/** The median over rounds of the difference of p50 within a round, in milliseconds. */
function pairedMedian(samples: Samples, one: Contender, other: Contender): number {
  const others = samples.get(other) ?? [];
  return median((samples.get(one) ?? []).map((sample, round) => sample.p50Ms - (others[round]?.p50Ms ?? 0)));
}

function table(title: string, samples: Samples): string {
  const lines = [...samples].map(([{ name }, own]) => {
    const of = (pick: (sample: Sample) => number, digits: number) =>
      median(own.map(pick)).toFixed(digits).padStart(10);
    const statuses = Object.keys(Object.assign({}, ...own.map((sample) => sample.statuses)) as object);
    return [
      name.padEnd(36),
      of((sample) => sample.perSecond, 0),
      of((sample) => sample.p50Ms, 3),
      of((sample) => sample.p99Ms, 3),
      of((sample) => sample.cpuMsPerThousand, 1),
      of((sample) => sample.cpuShare, 2),
      `  ${statuses.join(' ')}`,
    ].join('');
  });
  const head = ['req/s', 'p50 ms', 'p99 ms', 'CPU ms/k', 'generator'].map((name) => name.padStart(10));
  return [`${title.padEnd(36)}${head.join('')}  status`, ...lines, ''].join('\n');
}
