import { DOCUMENT, find, flag, integer, text } from './bson-scan.ts';
import type { Command, Handler } from './command.ts';
import { outsideStableApi, shapeOf } from './command-shape.ts';
import { CommandError } from './errors.ts';

/** Read concerns that a single server always keeps: nobody takes back what it has committed. */
const readLevels: ReadonlySet<string> = new Set(['local', 'available', 'majority']);

/** Commands that the driver sends by itself. Their options depend on the driver's version and on time. */
const driversOwn: ReadonlySet<string> = new Set(['hello', 'getMore', 'killCursors', 'endSessions']);

/** The shapes of the commands of clients that declare the Stable API strictly, as our services do. */
export class CommandShapes {
  /** The part outside of the Stable API, by line; undefined for a line that is inside. */
  readonly #problems = new Map<string, string | undefined>();
  readonly #seen = new Set<string>();

  /** @throws CommandError as MongoDB does, when something is outside of the Stable API. */
  check(lines: readonly string[]): void {
    for (const line of lines) {
      if (!this.#problems.has(line)) this.#problems.set(line, outsideStableApi(line));
      const problem = this.#problems.get(line);
      if (problem === undefined) continue;
      throw new CommandError(323, 'APIStrictError', `not in Stable API V1 as far as known here: ${problem}`);
    }
  }

  note(lines: readonly string[]): void {
    for (const line of lines) this.#seen.add(line);
  }

  list(): string[] {
    return [...this.#seen].sort();
  }
}

/**
 * The same handlers, each behind a check of what the client declares with its command: read and write concern, and the
 * version of the API. A concern that this server can't keep is refused, as by a standalone MongoDB.
 */
export function checkingDeclarations(
  handlers: ReadonlyMap<string, Handler>,
  shapes: CommandShapes,
): ReadonlyMap<string, Handler> {
  const guarded = (handler: Handler): Handler => {
    return async (command) => {
      checkConcerns(command);
      const version = text(command.body, 'apiVersion');
      if (version !== undefined && version !== '1') {
        throw new CommandError(322, 'APIVersionError', `API version must be "1", not "${version}"`);
      }
      if (!flag(command.body, 'apiStrict')) return handler(command);
      const lines = shapeOf(command);
      shapes.check(lines);
      const reply = await handler(command);
      if (!driversOwn.has(command.name)) shapes.note(lines);
      return reply;
    };
  };
  return new Map([...handlers].map(([name, handler]) => [name, guarded(handler)]));
}

/**
 * This is one server. With `w: 1` or `majority` an answer means that PostgreSQL has committed, its journal included
 * (`j: true`). The ephemeral servers of tests do not write their journal to the disk: they don't survive a power cut.
 */
function checkConcerns({ body }: Command): void {
  const read = documentIn(body, 'readConcern');
  const level = read && text(read, 'level');
  const isUnknown = level !== undefined && !readLevels.has(level);
  if (read && (isUnknown || find(read, 'afterClusterTime'))) {
    throw new CommandError(
      123,
      'NotAReplicaSet',
      'node needs to be a replica set member to use this read concern',
    );
  }
  const write = documentIn(body, 'writeConcern');
  if (!write) return;
  const tag = text(write, 'w');
  if (tag !== undefined && tag !== 'majority') {
    throw new CommandError(79, 'UnknownReplWriteConcern', `no write concern mode named '${tag}'`);
  }
  if ((integer(write, 'w') ?? 1n) > 1n) {
    throw new CommandError(2, 'BadValue', "cannot use 'w' > 1 when a host is not replicated");
  }
}

function documentIn(body: Buffer, name: string): Buffer | undefined {
  const element = find(body, name);
  return element?.type === DOCUMENT ? body.subarray(element.start, element.end) : undefined;
}
