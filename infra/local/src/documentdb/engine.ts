import { Pool } from 'pg';
import { isConflict, sqlStateOf } from './errors.ts';

/** The values of the first row. BSON comes as bytes. */
export type Row = readonly unknown[];
type Parameter = string | Buffer | null | readonly string[];

/** Enough to keep two cores busy while some connections wait for the disk or for locks. */
const poolSize = 16;
/** How often a statement that lost against a concurrent one runs again. */
const maxRetries = 30;

/** DocumentDB's SQL functions behind a pool of connections. */
export class Engine implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #names = new Map<string, string>();
  #retries: Promise<unknown> = Promise.resolve();

  constructor(options: { readonly port: number; readonly password: string }) {
    this.#pool = new Pool({
      host: '127.0.0.1',
      port: options.port,
      user: 'postgres',
      database: 'postgres',
      password: options.password,
      max: poolSize,
      // Long, because it includes the wait for a connection while all are busy.
      connectionTimeoutMillis: 60_000,
      // Kept until PostgreSQL ends them: a command that had to wait for a new connection would take 40 ms more.
      idleTimeoutMillis: 0,
      options: '-c search_path=documentdb_api,documentdb_api_catalog,documentdb_core,public',
    });
    // The next use replaces an idle connection that broke. Without a listener its error would end the process.
    this.#pool.on('error', () => undefined);
  }

  /**
   * Runs one statement in a transaction of its own. A statement that PostgreSQL rolled back because of a concurrent one
   * has applied nothing, and runs again. Any other failure is passed on: after a lost connection nobody knows what was
   * applied.
   */
  async call(sql: string, parameters: readonly Parameter[]): Promise<Row> {
    const run = async (): Promise<Row> => {
      const name = this.#statementName(sql);
      const result = await this.#pool.query({ name, text: sql, values: [...parameters], rowMode: 'array' });
      return (result.rows[0] as Row | undefined) ?? [];
    };
    try {
      return await run();
    } catch (error) {
      if (!lostConflict(error)) throw error;
    }
    return this.#oneAtATime(() => retry(run));
  }

  /** Runs one statement at a time: in parallel, statements that collided would collide again. */
  async #oneAtATime(operation: () => Promise<Row>): Promise<Row> {
    const turn = this.#retries.then(operation);
    this.#retries = turn.catch(() => undefined);
    return turn;
  }

  /** The name of a prepared statement. Each connection prepares it once. PostgreSQL would cut the SQL itself short. */
  #statementName(sql: string): string {
    const known = this.#names.get(sql) ?? `s${this.#names.size}`;
    this.#names.set(sql, known);
    return known;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }
}

function lostConflict(error: unknown): boolean {
  return isConflict(sqlStateOf(error) ?? '');
}

async function retry(operation: () => Promise<Row>): Promise<Row> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await operation();
    } catch (error) {
      if (!lostConflict(error) || attempts >= maxRetries) throw error;
    }
  }
}
