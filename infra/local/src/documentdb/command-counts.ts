import { serialize } from 'bson';
import type { Handler } from './command.ts';

/**
 * Counts the commands of clients since the start, by database and name. The command `commandcounts`, which MongoDB does
 * not have, returns the counts. Each service has a database of its own, so measurements see the commands of each service.
 */
export class CommandCounts {
  readonly #databases = new Map<string, Map<string, number>>();

  /** The same handlers, each of which counts, and the handler of `commandcounts`. */
  counting(handlers: ReadonlyMap<string, Handler>): ReadonlyMap<string, Handler> {
    const counted = [...handlers].map(([name, handler]): [string, Handler] => [
      name,
      (command) => {
        this.#count(command.database, command.name);
        return handler(command);
      },
    ]);
    const tell: Handler = async () => serialize({ databases: this.#databases, ok: 1 });
    return new Map([...counted, ['commandcounts', tell]]);
  }

  #count(database: string, name: string): void {
    const commands = this.#databases.get(database) ?? new Map<string, number>();
    commands.set(name, (commands.get(name) ?? 0) + 1);
    this.#databases.set(database, commands);
  }
}
