import { hostname } from 'node:os';
import { Long, serialize } from 'bson';
import { elements, find } from './bson-scan.ts';
import type { Command, Handler } from './command.ts';
import { CommandError } from './errors.ts';
import { maxMessageBytes } from './wire.ts';

/** The version of MongoDB whose commands are served; bulkWrite of 8.0 is not one of them. */
const serverVersion = '7.0.0';
const serverVersionArray = [7, 0, 0, 0];
const wireVersion = 21;
/** DocumentDB's limit for one command; drivers split larger batches. */
const maxWrites = 25_000;
const maxDocumentBytes = 16_777_216;

/** Commands that concern the server and not its data. */
export function serverCommands(): ReadonlyMap<string, Handler> {
  const startedAtMs = Date.now();
  const hello = reply((command) => ({
    helloOk: true,
    // A standalone server: drivers then neither look for others nor retry writes under a transaction number.
    ismaster: true,
    isWritablePrimary: true,
    maxBsonObjectSize: maxDocumentBytes,
    maxMessageSizeBytes: maxMessageBytes,
    maxWriteBatchSize: maxWrites,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    connectionId: command.connectionId,
    minWireVersion: 0,
    maxWireVersion: wireVersion,
    readOnly: false,
  }));
  const done = reply(() => ({}));
  const noTransactions: Handler = async () => {
    throw new CommandError(
      20,
      'IllegalOperation',
      'Transactions are not supported: this is a standalone server',
    );
  };
  return new Map<string, Handler>([
    ['hello', hello],
    ['ismaster', hello],
    ['ping', done],
    ['endsessions', done],
    ['refreshsessions', done],
    ['killsessions', done],
    ['logout', done],
    ['starttransaction', noTransactions],
    ['committransaction', noTransactions],
    ['aborttransaction', noTransactions],
    [
      'buildinfo',
      reply(() => ({
        version: serverVersion,
        versionArray: serverVersionArray,
        gitVersion: 'documentdb',
        modules: [],
        bits: 64,
        debug: false,
        maxBsonObjectSize: maxDocumentBytes,
      })),
    ],
    [
      'serverstatus',
      reply(() => ({
        host: hostname(),
        version: serverVersion,
        process: 'mongod',
        pid: Long.fromNumber(process.pid),
        uptime: Math.round((Date.now() - startedAtMs) / 1000),
        localTime: new Date(),
      })),
    ],
    ['connectionstatus', reply(() => ({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] } }))],
    ['getparameter', reply(parameters)],
    ['whatsmyuri', reply(() => ({ you: '127.0.0.1:0' }))],
    ['getlog', reply(() => ({ totalLinesWritten: 0, log: [] }))],
  ]);
}

/** Refuses what a standalone MongoDB refuses too. */
export function refuseTransactions(body: Buffer): void {
  if (find(body, 'startTransaction') === undefined && find(body, 'autocommit') === undefined) return;
  const message = 'Transaction numbers are only allowed on a replica set member or mongos';
  throw new CommandError(20, 'IllegalOperation', message);
}

function reply(content: (command: Command) => Record<string, unknown>): Handler {
  return async (command) => serialize({ ...content(command), ok: 1 });
}

function parameters(command: Command): Record<string, unknown> {
  const known: Record<string, unknown> = {
    featureCompatibilityVersion: { version: '7.0' },
    authenticationMechanisms: [],
  };
  const [first, ...asked] = elements(command.body);
  const all = first?.type === 0x02 && command.body.toString('utf8', first.start + 4, first.end - 1) === '*';
  const names = all ? Object.keys(known) : asked.map(({ name }) => name).filter((name) => name in known);
  if (names.length === 0) throw new CommandError(72, 'InvalidOptions', 'no option found to get');
  return Object.fromEntries(names.map((name) => [name, known[name]]));
}
