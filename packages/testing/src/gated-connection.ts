import type { Connection } from 'mongoose';

/** Whether a process goes on at a gate. `die halfway`: the first half of a bulk write is written. */
export type Fate = 'go on' | 'die' | 'die halfway';

/**
 * Called before and after every operation of the store. A test may do here what other processes would do. `operation` names the
 * collection and the method, as in `signals.find`.
 */
export type Gate = (moment: 'before' | 'after', operation: string) => Promise<Fate>;

/** Thrown in place of killing the process. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

const operations: ReadonlySet<PropertyKey> = new Set([
  ...['bulkWrite', 'updateOne', 'updateMany', 'insertOne', 'insertMany', 'deleteMany', 'findOneAndUpdate'],
]);
const reads: ReadonlySet<PropertyKey> = new Set(['find', 'aggregate']);

/** A connection whose process can be paused or killed between any two operations. */
export function gatedConnection(connection: Connection, gate: Gate): Connection {
  const guard = async (operation: string, run: () => Promise<unknown>, half?: () => Promise<unknown>) => {
    const fate = await gate('before', operation);
    // The process is dead, so it does not see how the store answers.
    if (fate === 'die halfway') await half?.().catch(() => undefined);
    if (fate !== 'go on') throw new Killed('before an operation');
    const result = await run();
    if ((await gate('after', operation)) !== 'go on') throw new Killed('after an operation');
    return result;
  };
  const gatedCursor = (operation: string, cursor: object) =>
    intercept(cursor, (name, call) =>
      name === 'toArray' ? () => guard(operation, async () => call()) : undefined,
    );
  const gatedCollection = (of: string, collection: object) =>
    intercept(collection, (name, call) => {
      const operation = `${of}.${String(name)}`;
      if (reads.has(name)) return (...args) => gatedCursor(operation, call(...args) as object);
      if (!operations.has(name)) return undefined;
      return (...args) =>
        guard(
          operation,
          async () => call(...args),
          async () => {
            const [statements, ...rest] = args;
            if (!Array.isArray(statements) || statements.length < 2) return;
            await call(statements.slice(0, statements.length / 2), ...rest);
          },
        );
    });
  return intercept(connection, (name, call) =>
    name === 'collection'
      ? (...args) => gatedCollection(String(args[0]), call(...args) as object)
      : undefined,
  );
}

type Call = (...args: unknown[]) => unknown;

/** The object with some methods replaced. `replace` gets the name and the original method. */
function intercept<T extends object>(
  target: T,
  replace: (name: PropertyKey, call: Call) => Call | undefined,
): T {
  return new Proxy(target, {
    get: (object, name) => {
      const value: unknown = Reflect.get(object, name, object);
      if (typeof value !== 'function') return value;
      const call: Call = (...args) => Reflect.apply(value, object, args) as unknown;
      return replace(name, call) ?? call;
    },
  });
}
