import { runLoad } from '../frame.ts';
import type { LoopName, LoopResult, LoopSpec } from './loops.ts';
import type { Round, Section, Sizes } from './section.ts';

/** Runs one loop in a process of its own. */
export async function loop(spec: LoopSpec): Promise<Round> {
  const { units, seconds, cpuS, residentMb } = await runLoad<LoopResult>(
    new URL('loops.ts', import.meta.url),
    spec,
  );
  return { perSecond: units / seconds, cpuUs: (cpuS * 1e6) / units, residentMb };
}

/** Signatures and filters beside loops that do nothing else. */
export async function compareLoops(
  _scope: AsyncDisposableStack,
  { rounds, seconds }: Sizes,
): Promise<Section[]> {
  const turns = async (names: readonly LoopName[], count: number) => {
    const taken = names.map(() => [] as Round[]);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, name] of names.entries()) taken[index]?.push(await loop({ name, count }));
    }
    return (index: number) => taken[index] ?? [];
  };
  const verified = await turns(['verify by a loop', 'verify by the client'], 10_000 * seconds);
  const filtered = await turns(['filter by a loop', 'filter by conditions'], 40 * seconds);
  return [
    {
      title: 'Verification of a delivery',
      text:
        'A body of 400 bytes. (a) computes the HMAC with node:crypto, compares and parses. The client also runs in browsers and at the ' +
        'edge, by Web Crypto, and checks age and form.',
      units: ['delivery', 'deliveries'],
      rows: [
        { contender: 'createHmac, timingSafeEqual, JSON.parse', rounds: verified(0) },
        { contender: 'verifyWebhook of @sigcast/client', rounds: verified(1) },
      ],
    },
    {
      title: 'Filters of webhooks',
      text:
        '10,000 filters of three conditions, asked about one event after another. (a) is each filter written as a function by hand; ' +
        'Sigcast’s come as JSON and are compiled once.',
      units: ['filter', 'filters'],
      rows: [
        { contender: 'functions written by hand', rounds: filtered(0) },
        { contender: 'conditions', rounds: filtered(1) },
      ],
    },
  ];
}
