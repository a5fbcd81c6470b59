import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLoad } from '../frame.ts';
import { type OwnUse, residentMb } from '../processes.ts';
import { arrivalsAt, arrivalsPerSecond, burst, startReceivers } from '../receivers.ts';
import { signalOf } from '../signals.ts';
import { benchSystem, cpuSOf, pidOf } from '../system.ts';
import type { Round, Section, Sizes } from './section.ts';
import type { Listed, SenderSpec } from './sender.ts';

const [webhooks, events] = [20, 300];
const count = webhooks * events;
const worker = 'webhooks-worker';

/** Signed deliveries beside a program that only signs and posts a list. */
export async function compareDeliveries(scope: AsyncDisposableStack, { rounds }: Sizes): Promise<Section[]> {
  const bench = await benchSystem(scope);
  const receivers = await startReceivers(scope, bench);
  for (let n = 0; n < webhooks; n += 1) await receivers.subscribe(`/${n}`, 'new', `many${n}`);
  const dir = await mkdtemp(join(tmpdir(), 'sigcast-bench-list-'));
  scope.defer(() => rm(dir, { recursive: true }));
  const spec: SenderSpec = { list: join(dir, 'list'), atOnce: 100 };
  await writeFile(spec.list, listOf(receivers.url).join('\n'));

  const bySigcast = async (): Promise<Round> => {
    const { perSecond, used } = await burst(bench, receivers, { events, subscribers: webhooks, type: 'new' });
    return {
      perSecond,
      cpuUs: (cpuSOf(used, (name) => name === worker) * 1e6) / count,
      residentMb: residentMb(pidOf(bench, worker)),
    };
  };
  const byList = async (): Promise<Round> => {
    const arrivals = arrivalsAt(receivers);
    const { cpuS, residentMb } = await runLoad<OwnUse>(new URL('sender.ts', import.meta.url), spec);
    return { perSecond: arrivalsPerSecond(arrivals), cpuUs: (cpuS * 1e6) / count, residentMb };
  };

  // The first of each warms up.
  const [listed, delivered]: [Round[], Round[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    listed.push(await byList());
    delivered.push(await bySigcast());
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
        { contender: 'a list, signed and posted', rounds: listed.slice(1) },
        { contender: 'Sigcast’s worker', rounds: delivered.slice(1) },
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
