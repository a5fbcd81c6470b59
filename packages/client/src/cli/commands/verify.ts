import { readFile } from 'node:fs/promises';
import type { Sigcast } from '../../sigcast.ts';
import { pause } from '../../wait.ts';
import type { Command, Context } from '../command.ts';
import { readCredentials, readUrl } from '../credentials.ts';
import { CliError, exits, wrongUsage } from '../exits.ts';
import { count, percent } from '../formats.ts';
import { type Checkpoint, readKey } from '../verify/checkpoint.ts';
import { compareSignals, compareStatistics, listAll } from '../verify/compare-api.ts';
import { isAddress, type LogFiles, logFiles } from '../verify/log-files.ts';
import { type Remembered, recall, remember } from '../verify/memory.ts';
import { readPolicy, signerOf } from '../verify/policy.ts';
import type { Problem, TrackRecord } from '../verify/record.ts';
import { LogVerifier, type Trust } from '../verify/verify-log.ts';

/** How often what differs is looked at, and the pause between, in milliseconds. */
const comparisons = 5;
const behindMs = 2_000;

/** What was checked: whether it holds, or why it was not looked at. */
type Checks = Record<string, 'holds' | 'fails' | `not checked: ${string}`>;

export const verifyCommands: readonly Command[] = [
  {
    name: 'verify',
    summary: 'Verify the public log: every entry, and what the API says against it',
    options: {
      log: {
        value: '<place>',
        help: 'the log’s address, or a folder with its files (default: /log of the API)',
      },
      key: {
        value: '<key>',
        help: 'the log’s key, as you got it from its operator (default: the remembered one)',
      },
      policy: {
        value: '<file>',
        help: 'instead of --key: the logs to trust, and the witnesses who must have cosigned (C2SP tlog-policy)',
      },
      remember: { value: '<file>', help: 'remember the log here, and compare it with what was remembered' },
      'log-only': { help: 'do not compare the API and its statistics with the log' },
    },
    details:
      'Without --key, --policy and a remembered key, the key is the one that the log gives itself: then only --remember shows a second history.\n' +
      'Exit status 1: something does not hold, and is named.',
    run: verify,
  },
];

async function verify({ values, io, show, connect }: Context): Promise<number> {
  const url = readUrl(values.text('url'), '--url') ?? readUrl(io.env.SIGCAST_URL, 'SIGCAST_URL');
  const given = values.text('log');
  const place = given ?? `${url ?? (await readCredentials(io.env)).url}/log`;
  const read = logFiles(place);
  const file = values.text('remember');
  const remembered = file === undefined ? undefined : await recall(file);
  const { trust, isGiven } = await trustOf(values, remembered, read);
  const progress = (entries: number, size: number) =>
    io.progress(`${count(entries)} of ${count(size)} entries`);
  const verifier = new LogVerifier(read, { trust, remembered, progress });
  let checkpoint = await verifier.readOn();
  io.progress('');
  if (checkpoint === undefined) throw new CliError(exits.unreachable, `There is no log at ${place}`);
  const isFolder = given !== undefined && !isAddress(given);
  const api = isFolder || values.has('log-only') ? undefined : await apiOf(connect, given);
  const differences: Problem[] = [];
  if (api !== undefined) {
    differences.push(...(await compared(api, { verifier, before: checkpoint.size, io })));
    checkpoint = verifier.checkpoint ?? checkpoint;
  }
  const problems = [...verifier.problems, ...differences];
  const failsIn = (check: string) => (problems.some((one) => one.check === check) ? 'fails' : 'holds');
  const unless = (reason: string | undefined, check: string) =>
    reason === undefined || failsIn(check) === 'fails' ? failsIn(check) : (`not checked: ${reason}` as const);
  const noApi = values.has('log-only')
    ? '--log-only'
    : isFolder
      ? 'a folder has no API'
      : api === undefined
        ? 'no API key'
        : undefined;
  const unknownKey = remembered ? 'the key was trusted on first use' : 'the key is the log’s own word';
  const checks: Checks = {
    signature: unless(isGiven ? undefined : unknownKey, 'signature'),
    tree: failsIn('tree'),
    consistency: unless(remembered ? undefined : 'nothing was remembered', 'consistency'),
    entries: failsIn('entries'),
    api: unless(noApi, 'api'),
    statistics: unless(noApi, 'statistics'),
  };
  const key = 'logs' in trust ? signerOf(checkpoint, trust)?.text : trust.text;
  // A wrong entry stays for ever, and must not keep what comes behind it from being remembered.
  const isOneHistory = ['signature', 'tree', 'consistency'].every((check) => failsIn(check) === 'holds');
  if (file !== undefined && key !== undefined && isOneHistory) {
    const { note, size, root } = checkpoint;
    const { bundles } = verifier;
    await remember(file, { key, isKeyGiven: isGiven, note, size, root, bundles });
  }
  const log = { checkpoint, record: verifier.record };
  const result = { key, isOfPolicy: 'logs' in trust, checks, problems };
  show(answerOf(log, result), () => linesOf(log, { place, ...result }));
  return problems.length === 0 ? exits.done : exits.failed;
}

/** A log as far as it was verified. */
type VerifiedLog = { readonly checkpoint: Checkpoint; readonly record: TrackRecord };

/** Whose checkpoints are accepted, and whether the user said so, now or when the log was remembered. */
async function trustOf(
  values: Context['values'],
  remembered: Remembered | undefined,
  read: LogFiles,
): Promise<{ trust: Trust; isGiven: boolean }> {
  const [given, file] = [values.text('key'), values.text('policy')];
  if (given !== undefined && file !== undefined)
    throw wrongUsage('--key and --policy exclude each other: a policy has the keys of its logs');
  if (file !== undefined) {
    try {
      return { trust: readPolicy(await readFile(file, 'utf8')), isGiven: true };
    } catch (error) {
      throw wrongUsage(`--policy must be the file of a policy: ${(error as Error).message}`);
    }
  }
  const text = given ?? remembered?.key ?? (await read('key'))?.toString('utf8').split('\n')[0];
  const trust = text === undefined ? undefined : readKey(text);
  if (trust !== undefined) return { trust, isGiven: given !== undefined || remembered?.isKeyGiven === true };
  if (given !== undefined)
    throw wrongUsage('--key must be the key of a log, such as api.example.com/log+1a2b3c4d+AW…');
  throw wrongUsage('The log gives no key: pass --key');
}

/** A client, where a key is configured. The API is not asked where the log is another system's. */
async function apiOf(connect: Context['connect'], place: string | undefined): Promise<Sigcast | undefined> {
  try {
    return await connect();
  } catch (error) {
    const isMissing = error instanceof CliError && (error.exit === exits.credentials || place !== undefined);
    if (isMissing) return undefined;
    throw error;
  }
}

/** Compares the API with the log. What differs is looked at again, because the log is some seconds behind the API. */
async function compared(
  api: Sigcast,
  { verifier, before, io }: { verifier: LogVerifier; before: number; io: Context['io'] },
): Promise<Problem[]> {
  const signalsNow = async () => {
    await verifier.readOn();
    return verifier.record.signals;
  };
  const listed = await listAll(api, (signals) => io.progress(`${count(signals)} signals of the API`));
  const ofSignals = await untilNone(async () => compareSignals(listed, await signalsNow(), before));
  const ofStatistics = await untilNone(async () => {
    const { data } = await api.stats.get({ period: 'all', include: ['distribution'] });
    return compareStatistics(data, await signalsNow());
  });
  io.progress('');
  return [...ofSignals, ...ofStatistics];
}

/** Compares again while there are differences, for as long as the log may be behind. */
async function untilNone(compare: () => Promise<Problem[]>): Promise<Problem[]> {
  for (let attempt = 1; ; attempt++) {
    const found = await compare();
    if (found.length === 0 || attempt === comparisons) return found;
    await pause(behindMs);
  }
}

function figuresOf({ checkpoint, record }: VerifiedLog) {
  const statuses = [...record.signals.values()].map(({ status }) => status);
  const of = (status: string) => statuses.filter((one) => one === status).length;
  return {
    entries: checkpoint.size,
    signals: statuses.length,
    active: of('active'),
    winners: of('winner'),
    dead: of('dead'),
    rugged: of('rugged'),
    late: record.late,
    corrections: record.corrections,
    positions: record.positions,
    mean_realizable_roi:
      record.positions === 0 ? null : Math.round((record.positionsRoi / record.positions) * 100) / 100,
  };
}

type Result = {
  /** The key that has signed the checkpoint; undefined where none of the policy has. */
  readonly key: string | undefined;
  readonly isOfPolicy: boolean;
  readonly checks: Checks;
  readonly problems: readonly Problem[];
};

function answerOf(log: VerifiedLog, { key, checks, problems }: Result): object {
  const { origin, size, root } = log.checkpoint;
  return { origin, key: key ?? null, checkpoint: { size, root }, checks, problems, record: figuresOf(log) };
}

const checkWords: Readonly<Record<string, string>> = {
  signature: 'The checkpoint is signed by the key',
  tree: 'The checkpoint is of these entries, all of them',
  consistency: 'Nothing has changed that was there when you looked last',
  entries: 'No entry is dated back, repeated or without its signal',
  api: 'The API lists what is in the log, all of it and nothing else',
  statistics: 'The published counts of signals and outcomes, and their win rate, are those of the log',
};

const policyWords = 'The checkpoint is signed by a log of the policy, and cosigned by its quorum';

function linesOf(
  log: VerifiedLog,
  { place, key, isOfPolicy, checks, problems }: Result & { readonly place: string },
): string[] {
  const { signals, active, winners, dead, rugged, late, corrections, ...figures } = figuresOf(log);
  return [
    `The log at ${place}: ${count(figures.entries)} entries`,
    `Key: ${key ?? 'none of the policy'}`,
    '',
    ...Object.entries(checks).map(([name, result]) => {
      const mark = result === 'holds' ? 'yes' : result === 'fails' ? 'NO ' : '–  ';
      const why = result.startsWith('not checked') ? ` (${result})` : '';
      const words = isOfPolicy && name === 'signature' ? policyWords : checkWords[name];
      return `${mark}  ${words ?? name}${why}`;
    }),
    ...(problems.length === 0 ? [] : ['', ...problems.map(({ message }) => `! ${message}`)]),
    '',
    `${count(signals)} signals: ${count(active)} active, ${count(winners)} winners, ${count(dead)} dead, ${count(rugged)} rugged`,
    `${count(late)} became known more than an hour after they say that they were created or decided; ${count(corrections)} corrections`,
    ...(figures.mean_realizable_roi === null
      ? []
      : [
          `What could be earned with the ${count(figures.positions)} decided ones: ${percent(figures.mean_realizable_roi)} on average`,
        ]),
  ];
}
