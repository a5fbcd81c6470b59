import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mongoose';
import { append, client, exportLog } from '../log.ts';
import { endedChildrensCpuS, follow } from '../processes.ts';
import { benchSystem } from '../system.ts';
import { loop } from './memory.ts';
import type { Round, Section, Sizes } from './section.ts';

/** The verification of the whole log beside a loop that hashes its files. */
export async function compareLog(
  scope: AsyncDisposableStack,
  { rounds, signals }: Sizes,
): Promise<Section[]> {
  const bench = await benchSystem(scope);
  const dbName = 'sigcast_tracker';
  const connection = await createConnection(bench.backing.mongodbUri, { dbName }).asPromise();
  scope.defer(() => connection.close());
  await append(bench, connection.collection('log_waiting'), signals);
  const folder = await mkdtemp(join(tmpdir(), 'sigcast-bench-log-'));
  scope.defer(() => rm(folder, { recursive: true }));
  await exportLog(bench, folder);
  const keys = await (await fetch(`${bench.system.gatewayUrl}/log/key`)).text();
  const [key = ''] = keys.split('\n');

  const verify = async (): Promise<Round> => {
    const [startedAt, before] = [performance.now(), endedChildrensCpuS()];
    const args = [client, 'verify', '--log', folder, '--log-only', '--key', key];
    const program = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    const seen = follow(program.pid ?? -1);
    const [code] = (await once(program, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`the verification ended with ${code}`);
    const seconds = (performance.now() - startedAt) / 1_000;
    const cpuS = endedChildrensCpuS() - before;
    return { perSecond: signals / seconds, cpuUs: (cpuS * 1e6) / signals, residentMb: seen().highestMb };
  };
  const [hashed, verified]: [Round[], Round[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    hashed.push(await loop({ name: 'hash the log by a loop', count: signals, folder }));
    verified.push(await verify());
  }
  return [
    {
      title: 'Verification of the log',
      text:
        `An exported log of ${signals.toLocaleString('en-US')} entries. (a) hashes all entries into the tree of RFC 6962, and checks nothing. ` +
        '`sigcast verify` starts, reads the checkpoint and its signature, every entry’s form, times and order, and all tiles.',
      units: ['entry', 'entries'],
      rows: [
        { contender: 'a loop over the files', rounds: hashed },
        { contender: '`sigcast verify`', rounds: verified },
      ],
    },
  ];
}
