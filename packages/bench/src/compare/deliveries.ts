import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@sigcast/testing';
import { runLoad } from '../frame.ts';
import { residentMb } from '../processes.ts';
import { startReceivers } from '../receivers.ts';
import { signalOf } from '../signals.ts';
import { benchSystem } from '../system.ts';
import type { Round, Section, Sizes } from './section.ts';
import type { Listed, SenderResult, SenderSpec } from './sender.ts';

const [webhooks, events] = [20, 300];
const count = webhooks * events;

/** Signed deliveries beside a program that only signs and posts a list. */
export async function compareDeliveries(scope: AsyncDisposableStack, { rounds }: Sizes): Promise<Section[]> {
  const bench = await benchSystem(scope);
  const receivers = await startReceivers(scope, bench);
  for (let n = 0; n < webhooks; n += 1) await receivers.subscribe(`/${n}`, 'new', `many${n}`);
  const dir = await mkdtemp(join(tmpdir(), 'sigcast-bench-list-'));
  scope.defer(() => rm(dir, { recursive: true }));
  const spec: SenderSpec = { list: join(dir, 'list'), atOnce: 100 };
  const { pid = 0 } =
    Object.values(bench.system.processes).find(({ name }) => name === 'webhooks-worker') ?? {};

  const arrivals: number[] = [];
  receivers.onWebhook = ({ at }) => arrivals.push(at);
  const perSecond = () => (1_000 * (count - 1)) / ((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0));

  const bySigcast = async (): Promise<{ worker: Round; all: Round }> => {
    arrivals.length = 0;
    const stop = await bench.measure();
    await Promise.all(
      Array.from({ length: events }, (_, number) => bench.produce('POST', '', signalOf(number, 'new'))),
    );
    await eventually(
      () => {
        if (arrivals.length < count) throw new Error(`${arrivals.length} of ${count} arrived`);
      },
      { timeoutMs: 120_000 },
    );
    const { cpuS } = await stop();
    const cpuUs = (names: (name: string) => boolean) =>
      ([...cpuS].reduce((sum, [name, seconds]) => (names(name) ? sum + seconds : sum), 0) * 1e6) / count;
    const rate = { perSecond: perSecond(), residentMb: residentMb(pid) };
    return {
      worker: { ...rate, cpuUs: cpuUs((name) => name === 'webhooks-worker') },
      all: { ...rate, cpuUs: cpuUs((name) => name !== 'bench') },
    };
  };
  const byList = async (): Promise<Round> => {
    arrivals.length = 0;
    const { cpuS, residentMb } = await runLoad<SenderResult>(new URL('sender.ts', import.meta.url), spec);
    return { perSecond: perSecond(), cpuUs: (cpuS * 1e6) / count, residentMb };
  };

  await writeFile(spec.list, listOf(receivers.url).join('\n'));
  await Promise.all([bySigcast()]);
  await byList();
  const [limit, worker]: [Round[], Round[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    limit.push(await byList());
    worker.push((await bySigcast()).worker);
  }
  return [
    {
      title: 'Deliveries',
      text:
        `${events} events to ${webhooks} webhooks of an account each, at one host that answers at once. (a) is the limit: it reads a list ` +
        'from a file, signs and posts, at most 100 at once, and remembers nothing. Sigcast takes each signal over HTTP, stores it, ' +
        'publishes it through the broker, and makes a document of every delivery before and after its attempt; ' +
        'the figures are those of the worker, while the other services and the stores share the cores.',
      units: ['delivery', 'deliveries'],
      rows: [
        { contender: 'a list, signed and posted', rounds: limit },
        { contender: 'Sigcast’s worker', rounds: worker },
      ],
    },
  ];
}

function listOf(url: string): string[] {
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  return Array.from({ length: count }, (_, number) => {
    const listed: Listed = {
      url: `${url}/${number % webhooks}`,
      secret,
      id: `evt_${number}`,
      body: JSON.stringify({ event: 'signal.new', data: signalOf(number, 'new') }),
    };
    return JSON.stringify(listed);
  });
}
