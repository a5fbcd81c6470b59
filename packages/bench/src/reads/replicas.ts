import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { System } from '@sigcast/local';
import { addressOf, eventually, spawnService } from '@sigcast/testing';

const services = fileURLToPath(new URL('../../../../services', import.meta.url));

/** More of the statistics' processes beside the system's own, and a gateway that asks all of them in turn. */
export type Replicas = {
  readonly gatewayUrl: string;
  /** Names of the added processes, by id. */
  readonly names: ReadonlyMap<number, string>;
};

/** Starts them, until there are `count` of the statistics. Linux only. */
export async function startReplicas(
  scope: AsyncDisposableStack,
  { processes }: System,
  count: number,
): Promise<Replicas> {
  const statsEnv = environmentOf(processes.stats.pid);
  const names = new Map<number, string>();
  const start = async (name: string, env: Readonly<Record<string, string>>) => {
    const added = scope.use(
      spawnService(`${services}/${name}/src/main.ts`, { ...env, PORT: '0', METRICS_PORT: '0' }),
    );
    names.set(added.pid, name);
    const url = await addressOf(added);
    const probed = name === 'gateway' ? await addressOf(added, 'metrics') : url;
    await eventually(async () => {
      const { ok, status } = await fetch(new URL('/readyz', probed));
      if (!ok) throw new Error(`${name} is not ready: ${status}`);
    });
    return url;
  };
  const added = await Promise.all(Array.from({ length: count - 1 }, () => start('stats', statsEnv)));
  const own = `http://${statsEnv.HOST}:${statsEnv.PORT}`;
  const gatewayEnv = environmentOf(processes.gateway.pid);
  const gatewayUrl = await start('gateway', { ...gatewayEnv, STATS_URL: [own, ...added].join(',') });
  return { gatewayUrl, names };
}

/** What a process was started with, which a process beside it has to know as well. */
function environmentOf(pid: number | undefined): Record<string, string> {
  const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
}
