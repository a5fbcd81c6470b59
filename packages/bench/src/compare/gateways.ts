import { startContenders } from '../gateway/contenders.ts';
import { manyConnections, measure, requireOnly, takeTurns } from '../gateway/turns.ts';
import { benchStores } from '../system.ts';
import { startNginx } from './nginx.ts';
import type { Section, Sizes } from './section.ts';

/** One small answer through each gateway. */
export async function compareGateways(
  scope: AsyncDisposableStack,
  { rounds, seconds }: Sizes,
): Promise<Section[]> {
  const { backing } = await benchStores(scope);
  const all = await startContenders(scope, backing, '');
  const key = 'sk_nginx_key_that_is_as_long_as_one_of_ours_would_be_0123456789_abcd';
  const upstream = new URL(all.direct.url).origin;
  const nginx = await startNginx(scope, { upstream, redisUrl: backing.redisUrl, key });
  const limit = {
    name: 'nginx with Lua',
    url: nginx.origin + new URL(all.direct.url).pathname,
    headers: { Accept: 'application/json', Authorization: `Bearer ${key}` },
    pid: nginx.pid,
  };
  const named = [
    [limit, 'nginx with Lua: the key and two windows in one script of Redis'],
    [all.bare, 'Express and undici, no key, no limit'],
    [all.assembled, 'express-rate-limit, keys in MongoDB, http-proxy-middleware'],
    [all.accepting, 'Sigcast’s gateway'],
    [all.traced, 'Sigcast’s gateway, 1 % of requests traced'],
  ] as const;
  const contenders = named.map(([contender]) => contender);
  const durationMs = seconds * 1_000;
  for (const contender of contenders) await measure(contender, manyConnections, durationMs);
  const samples = await takeTurns(contenders, { connections: manyConnections, rounds, durationMs });
  for (const contender of contenders) requireOnly(samples, contender, '200');
  return [
    {
      title: 'Gateway',
      text:
        `A GET with an answer of 400 bytes over ${manyConnections} connections, one process each. (a) is the limit of what looks up ` +
        'a key and counts its minute and its day; it writes no log, validates nothing and vouches for nobody. (b) does nothing but ' +
        'pass on. (c) is what one would assemble. Sigcast’s also checks parameters and rights, signs the caller’s identity, and ' +
        'writes a line of the request log and the account’s usage.',
      units: ['request', 'requests'],
      rows: named.map(([contender, name]) => ({
        contender: name,
        rounds: (samples.get(contender) ?? []).map(({ perSecond, cpuMsPerThousand, residentMb }) => ({
          perSecond,
          cpuUs: cpuMsPerThousand,
          residentMb,
        })),
      })),
    },
  ];
}
