import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { identityHeader } from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import { createConnection } from 'mongoose';
import { Pool } from 'undici';
import { residentMb } from '../processes.ts';
import { benchSystem, cpuSOf, importSignals, pidOf } from '../system.ts';
import type { Round, Section, Sizes } from './section.ts';

const day = 86_400_000;

/** Statistics of a week of signals beside what the store would be asked for them. */
export async function compareStatistics(
  scope: AsyncDisposableStack,
  { rounds, seconds, signals }: Sizes,
): Promise<Section[]> {
  const bench = await benchSystem(scope);
  await importSignals(bench, signals, 30);
  const connection = await createConnection(bench.backing.mongodbUri, {
    dbName: 'sigcast_stats',
  }).asPromise();
  scope.defer(() => connection.close());
  const facts = connection.collection('signal_facts');
  const stats = new Pool(`http://127.0.0.1:${bench.ports.stats}`);
  scope.defer(() => stats.destroy());
  const privateKey = await readFile(join(bench.keysDir, 'gateway-identity.private.pem'), 'utf8');
  const identity = identitySigner(
    'gateway',
    privateKey,
    'stats',
  )({ subject: 'acct_bench', scopes: [], ttlS: 3_600 });
  const week = () => ({ created_at: { $gt: new Date(Date.now() - 7 * day) } });

  const contenders = {
    index: () => facts.countDocuments(week()),
    aggregation: () =>
      facts
        .aggregate([
          { $match: week() },
          {
            $group: {
              _id: '$type',
              total: { $sum: 1 },
              winners: { $sum: { $cond: [{ $eq: ['$status', 'winner'] }, 1, 0] } },
              roi: { $avg: '$roi' },
              highest: { $max: '$roi' },
            },
          },
        ])
        .toArray(),
    service: async () => {
      const path = '/v1/stats?period=7d';
      const { statusCode, body } = await stats.request({
        path,
        method: 'GET',
        headers: { [identityHeader]: identity },
      });
      if (statusCode !== 200) throw new Error(`${path} answers ${statusCode}: ${await body.text()}`);
      return body.json();
    },
  };
  const take = async (act: () => Promise<unknown>): Promise<Round> => {
    const stop = await bench.measure();
    let units = 0;
    for (const endsAt = performance.now() + seconds * 1_000; performance.now() < endsAt; units += 1)
      await act();
    const used = await stop();
    return {
      perSecond: units / used.seconds,
      cpuUs: (cpuSOf(used, (name) => name !== 'bench') * 1e6) / units,
      residentMb: act === contenders.service ? residentMb(pidOf(bench, 'stats')) : Number.NaN,
    };
  };
  for (const act of Object.values(contenders)) await take(act);
  const taken = { index: [] as Round[], aggregation: [] as Round[], service: [] as Round[] };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of ['index', 'aggregation', 'service'] as const)
      taken[name].push(await take(contenders[name]));
  }
  return [
    {
      title: 'Statistics',
      text:
        `The figures of 7 of the 30 days of ${signals.toLocaleString('en-US')} signals, asked one after another. (a) only counts ` +
        'on the index. (b) makes four of the figures by the store’s own aggregation. Sigcast’s service keeps them in memory, exact as ' +
        'of a second ago, with its median and percentiles. Processor time is that of all processes, the store’s included.',
      units: ['answer', 'answers'],
      rows: [
        { contender: 'count on an index', rounds: taken.index },
        { contender: 'aggregation in the store', rounds: taken.aggregation },
        { contender: 'Sigcast’s statistics', rounds: taken.service },
      ],
    },
  ];
}
