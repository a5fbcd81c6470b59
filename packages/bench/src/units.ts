import { Readable } from 'node:stream';
import { createConnection, mongo } from 'mongoose';
import { type Bench, inFlight, say, sum, table } from './frame.ts';
import { startReceivers } from './receivers.ts';
import { signalOf } from './signals.ts';
import { atRest, benchSystem, cpuSOf, sayUsed, type Used } from './system.ts';

/** Documents whose bytes are averaged. */
const sampled = 500;
const subscribers = 20;
const services = ['gateway', 'signals', 'stats', 'tracker', 'webhooks'] as const;

/** What one request, signal, update, delivery and so on costs: commands of store and Redis, CPU time, bytes of documents. */
export const units: Bench = {
  parameters: { count: 1_000, width: 20 },
  run: async (scope, given) => {
    const bench = await benchSystem(scope);
    const { get, produce } = bench;
    const receivers = await startReceivers(scope, bench);
    const [count, width] = [given.number('count'), given.number('width')];
    const rows: Parameters<typeof table>[0][number][] = [];
    const ids: string[] = [];
    const idAt = (n: number) => ids[n % ids.length] ?? '';
    let number = 0;

    /** Does something `times` times, `width` at once, until the system is at rest again. */
    const measured = async (
      unit: string,
      times: number,
      each: number,
      act: (n: number) => Promise<unknown>,
    ) => {
      await atRest(bench);
      const stop = await bench.measure();
      await inFlight(width, times, act);
      await atRest(bench);
      const used = await stop();
      say(`\n${unit}`);
      sayUsed(used, 'units', times * each);
      rows.push({ unit, ...perUnit(used, times * each) });
    };
    const read = async (path: string) => {
      const { status } = await get(path);
      if (status !== 200) throw new Error(`${path}: ${status}`);
    };
    const write = async (type: 'new' | 'wallet') => {
      const { id } = await produce<{ id: string }>('POST', '', signalOf(number++, type));
      ids.push(id);
    };
    const metrics = () => ({ mcap_current: 10 * (1 + (number++ % 1_000)), holders: number });

    await measured('signal', count, 1, () => write('new'));
    await measured('update, alone', count, 1, (n) => produce('PATCH', `/${idAt(n)}`, { metrics: metrics() }));
    await measured('update, 25 in a request', Math.ceil(count / 25), 25, (n) => {
      const observed_at = new Date().toISOString();
      const observation = (_: unknown, m: number) => ({
        id: idAt(n * 25 + m),
        metrics: metrics(),
        observed_at,
      });
      return produce('POST', '/observations', { observations: Array.from({ length: 25 }, observation) });
    });
    const line = (_: unknown, n: number) => `${JSON.stringify(signalOf(number + n, 'new'))}\n`;
    await measured('line of an import', 1, count, () => {
      const lines = Array.from({ length: count }, line);
      number += count;
      return produce('POST', '/import', Readable.from(lines));
    });
    await measured('request: list', count, 1, () => read('/v1/signals'));
    await measured('request: signal', count, 1, (n) => read(`/v1/signals/${idAt(n)}`));
    await measured('request: statistics', count, 1, () => read('/v1/stats?period=7d'));
    for (let n = 0; n < subscribers; n += 1) await receivers.subscribe(`/${n}`, 'wallet', `units${n}`);
    await measured('delivery', Math.ceil(count / 4), subscribers, () => write('wallet'));
    await atRest(bench);
    table(rows);

    const bytes: typeof rows = [];
    for (const service of services) {
      const connection = createConnection(bench.backing.mongodbUri, { dbName: `sigcast_${service}` });
      await connection.asPromise();
      for (const { name } of await connection.listCollections()) {
        const documents = await connection.collection(name).find({}).limit(sampled).toArray();
        const sizes = documents.map((document) => mongo.BSON.calculateObjectSize(document));
        if (sizes.length >= 20)
          bytes.push({
            collection: `${service} ${name}`,
            documents: sizes.length,
            bytes: sum(sizes) / sizes.length,
          });
      }
      await connection.close();
    }
    table(bytes);
  },
};

function perUnit({ commands, redisScripts, cpuS }: Used, count: number) {
  const store = [...(commands ?? [])];
  return {
    ...Object.fromEntries(
      services.map((service) => [
        service,
        sum(store.filter(([name]) => name.startsWith(`${service} `)).map(([, n]) => n)) / count,
      ]),
    ),
    'Redis scripts': redisScripts / count,
    'CPU ms, services':
      (1_000 * cpuSOf({ cpuS }, (name) => services.some((service) => name.startsWith(service)))) / count,
  };
}
