import { parseArgs } from 'node:util';
import { type SignalType, signalTypes } from '@sigcast/contracts';

export const usage = `Imports signals from a file into a running signals service.

  node services/signals/src/import.ts FILE [options]

  --url ADDRESS        the signals service (default http://127.0.0.1:8081)
  --token-file FILE    holds a service token with scope signals:write (or set INGEST_TOKEN)
  --format FORMAT      ndjson, one signal a line; or dexscreener, an answer recorded from its API
                       (default: by the file's shape)
  --type TYPE          signal type of pairs from dexscreener: ${signalTypes.join(', ')} (default new)
  --premium            marks signals of pairs from dexscreener as premium

Repeating the command within 24 hours creates nothing twice; after an interruption it creates what is missing.
Exit code: 0 all lines stored, 1 some lines failed, 2 wrong usage or the service can't be used.
`;

export type FileFormat = 'ndjson' | 'dexscreener';

type ImportOptions = {
  readonly file: string;
  readonly url: string;
  readonly tokenFile: string | undefined;
  readonly format: FileFormat | undefined;
  readonly type: SignalType;
  readonly premium: boolean;
};

/** Ends the command with this message alone. */
export class ImportProblem extends Error {
  override readonly name = 'ImportProblem';
}

/**
 * Reads the command line.
 * @returns undefined when help is asked for.
 * @throws {ImportProblem} naming the option or argument that is wrong.
 */
export function parseOptions(args: readonly string[]): ImportOptions | undefined {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw new ImportProblem('exactly one FILE is required');
  const protocol = URL.parse(values.url)?.protocol;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new ImportProblem('--url must begin with http:// or https://');
  }
  const format = oneOf('--format', ['ndjson', 'dexscreener'] as const, values.format);
  const type = oneOf('--type', signalTypes, values.type) ?? 'new';
  return {
    file,
    url: values.url.replace(/\/+$/, ''),
    tokenFile: values['token-file'],
    format,
    type,
    premium: values.premium,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        url: { type: 'string', default: 'http://127.0.0.1:8081' },
        'token-file': { type: 'string' },
        format: { type: 'string' },
        type: { type: 'string' },
        premium: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (cause) {
    throw new ImportProblem((cause as Error).message, { cause });
  }
}

function oneOf<T extends string>(name: string, allowed: readonly T[], value: string | undefined) {
  if (value === undefined) return undefined;
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new ImportProblem(`${name} must be one of ${allowed.join(', ')}`);
  return found;
}
