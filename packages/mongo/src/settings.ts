import { settings } from '@sigcast/runtime';
import { mongo } from 'mongoose';
import { z } from 'zod';

/** Where a service's data is. */
export type MongoSettings = {
  readonly uri: string;
  readonly database: string;
  /** Certificate authorities to trust, in PEM form. With one, connections use TLS. */
  readonly ca?: string | undefined;
};

const schemes = /^mongodb(\+srv)?:\/\//;

/**
 * The options that `connectMongo` sets for every call, in lower case. A URI may leave them out or give this value;
 * `undefined` stands for an option that a URI must not have.
 */
const fixedOptions: Readonly<Record<string, string | undefined>> = {
  w: 'majority',
  journal: 'true',
  j: 'true',
  fsync: undefined,
  wtimeoutms: undefined,
  wtimeout: undefined,
  readpreference: 'primary',
  readpreferencetags: undefined,
  maxstalenessseconds: undefined,
  readconcernlevel: 'majority',
  retrywrites: 'true',
  retryreads: 'true',
};

const unescaped =
  'has a user name or a password with a character that must be percent-encoded (one of : / ? # [ ] @ %)';

/** Patterns of the driver's messages, each with the message shown instead. The first match counts. */
const wordings: readonly (readonly [RegExp, string])[] = [
  [/contains unescaped characters|Invalid connection string|URI malformed/i, unescaped],
  [/empty userinfo/, 'has an empty user name'],
  [/host list are required/, 'names no host'],
  [/multiple service names/, 'must name one host: mongodb+srv:// looks the others up in the DNS'],
  [/cannot have port number/, 'must name no port: mongodb+srv:// looks it up in the DNS'],
  [
    /\bport\b|Invalid URL|unable to parse/i,
    'has a host or a port that is wrong: a port is a whole number from 1 to 65535',
  ],
];

/**
 * A MongoDB connection string that the driver accepts and that does not contradict `connectMongo`'s own options. Messages
 * name what is wrong, without any part of the text that may be secret.
 */
export const mongoUriSetting = z.string().superRefine((uri, context) => {
  const problem = problemOf(uri);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

/** The settings of whoever opens a database, for `readConfig`. */
export function mongoSettings(database: string) {
  return {
    MONGODB_URI: mongoUriSetting.describe(
      'Connection string of MongoDB, as its driver takes it; with several hosts for a replica set.',
    ),
    MONGODB_CA: settings.pem
      .optional()
      .describe('Certificates of the authorities that MongoDB is verified by, PEM; turns TLS on.'),
    MONGODB_DATABASE: settings
      .name(database)
      .describe("Database with the service's collections; no other service may use it."),
  };
}

/** What `connectMongo` needs, from settings that were read with `mongoSettings`. */
export function mongoFrom(config: {
  readonly MONGODB_URI: string;
  readonly MONGODB_CA?: string | undefined;
  readonly MONGODB_DATABASE: string;
}): MongoSettings {
  return { uri: config.MONGODB_URI, ca: config.MONGODB_CA, database: config.MONGODB_DATABASE };
}

function problemOf(uri: string): string | undefined {
  if (!schemes.test(uri)) return 'must begin with mongodb:// or mongodb+srv://';
  try {
    new mongo.MongoClient(uri);
  } catch (error) {
    return inOurWords(uri, error instanceof Error ? error.message : '');
  }
  for (const [name, value] of optionsOf(uri)) {
    const key = name.toLowerCase();
    if (!Object.hasOwn(fixedOptions, key) || fixedOptions[key] === value) continue;
    const right = fixedOptions[key] === undefined ? '' : ` be ${fixedOptions[key]}, or`;
    return `has the option ${name}, which must${right} be left out: the services rely on what they state themselves`;
  }
  return undefined;
}

function inOurWords(uri: string, said: string): string {
  // Checked before an option is quoted, because what looks like options may be the rest of a password.
  if (optionsText(uri).includes('@')) return unescaped;
  const name = [...optionsOf(uri)].map(([option]) => option).find((option) => mentions(said, option));
  if (name !== undefined) return `has the option ${name}, ${optionProblem(said)}`;
  return wordings.find(([pattern]) => pattern.test(said))?.[1] ?? 'is not one that the MongoDB driver takes';
}

function optionProblem(said: string): string {
  if (said.includes('not supported')) return 'which the MongoDB driver does not know';
  if (said.includes('more than once')) return 'more than once';
  if (said.includes('no value')) return 'without a value';
  return 'which the MongoDB driver does not take with this value, or not with the other options';
}

function mentions(text: string, option: string): boolean {
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .includes(option.toLowerCase());
}

function optionsText(uri: string): string {
  const from = uri.indexOf('?');
  return from === -1 ? '' : uri.slice(from + 1);
}

function optionsOf(uri: string): URLSearchParams {
  return new URLSearchParams(optionsText(uri));
}
