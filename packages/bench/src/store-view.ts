import { type Connection, createConnection } from 'mongoose';

/** The store, past the services. */
export type StoreView = {
  /** The process behind the store's address. */
  readonly pid: number;
  /** Commands that clients have sent so far, by service and name; undefined where the store doesn't count them so. */
  commands(): Promise<CommandCounts | undefined>;
  /** A database of the system's. */
  database(service: 'signals' | 'stats' | 'tracker' | 'webhooks'): Connection;
};

/** By service, then by the command's name. */
export type CommandCounts = ReadonlyMap<string, ReadonlyMap<string, number>>;

const commandNotFound = 59;

/** Connects to the store in which a system's databases begin with `namespace`. */
export async function storeView(
  scope: AsyncDisposableStack,
  mongodbUri: string,
  namespace: string,
): Promise<StoreView> {
  const connection = await createConnection(mongodbUri, { dbName: 'admin' }).asPromise();
  scope.defer(() => connection.close());
  const admin = connection.getClient().db('admin');
  const { pid } = await admin.command({ serverStatus: 1 });
  return {
    pid: Number(pid),
    database: (service) => connection.useDb(`${namespace}_${service}`),
    commands: async () => {
      try {
        const { databases } = await admin.command({ commandcounts: 1 });
        return countsOf(databases as Databases, `${namespace}_`);
      } catch (error) {
        if ((error as { code?: number }).code === commandNotFound) return undefined;
        throw error;
      }
    },
  };
}

type Databases = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Of the system's databases only: what connections ask about the server is left out. */
function countsOf(databases: Databases, prefix: string): CommandCounts {
  const own = Object.entries(databases).filter(([name]) => name.startsWith(prefix));
  return new Map(
    own.map(([name, commands]) => [name.slice(prefix.length), new Map(Object.entries(commands))]),
  );
}

/** The commands between two counts, divided by a number of seconds or of deliveries; undefined where they are not counted. */
export function commandsPer(
  before: CommandCounts | undefined,
  after: CommandCounts | undefined,
  divisor: number,
): CommandCounts | undefined {
  if (!before || !after) return undefined;
  const differences = [...after].map(([service, commands]) => {
    const earlier = before.get(service);
    const each = [...commands].map(
      ([name, count]) => [name, (count - (earlier?.get(name) ?? 0)) / divisor] as const,
    );
    return [service, new Map(each.filter(([, quotient]) => quotient > 0))] as const;
  });
  return new Map(differences.filter(([, commands]) => commands.size > 0));
}

/** All commands together. */
export function total(counts: CommandCounts): number {
  const all = [...counts.values()].flatMap((commands) => [...commands.values()]);
  return all.reduce((sum, count) => sum + count, 0);
}

/** The commands a second between two counts, by service: `12.0: webhooks (find 8.0, update 4.0)`. */
export function describeCommands(
  before: CommandCounts | undefined,
  after: CommandCounts | undefined,
  seconds: number,
): string {
  const counts = commandsPer(before, after, seconds);
  if (!counts) return 'not counted';
  const services = [...counts].map(([service, commands]) => {
    const each = [...commands]
      .toSorted(([, a], [, b]) => b - a)
      .map(([name, rate]) => `${name} ${rate.toFixed(1)}`);
    return `${service} (${each.join(', ')})`;
  });
  return `${total(counts).toFixed(1)}: ${services.join(', ')}`;
}
