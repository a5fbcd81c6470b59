import type { Connection } from 'mongoose';

/** What becomes of a process at a gate. `die halfway` through a bulk write leaves the first half of it written. */
export type Fate = 'go on' | 'die' | 'die halfway';

/**
 * Asked before and after every operation of the store; may do anything meanwhile that others would. `operation` names the
 * collection and the method, as in `signals.find`.
 */
export type Gate = (moment: 'before' | 'after', operation: string) => Promise<Fate>;

/** Thrown where a process would have been killed. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

const operations: ReadonlySet<PropertyKey> = new Set([
  ...['bulkWrite', 'updateOne', 'updateMany', 'insertOne', 'insertMany', 'deleteMany', 'findOneAndUpdate'],
]);
const reads: ReadonlySet<PropertyKey> = new Set(['find', 'aggregate']);

/** The connection as a process has it that may be held up or killed between any two of its operations. */
export function gatedConnection(connection: Connection, gate: Gate): Connection {
  const guard = async (operation: string, run: () => Promise<unknown>, half?: () => Promise<unknown>) => {
    const fate = await gate('before', operation);
    if (fate === 'die halfway') await half?.();
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

/** The object with some of its methods replaced; each replacement is given the original. */
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
