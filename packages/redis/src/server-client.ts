import { Redis, type RedisOptions } from 'ioredis';
import { batchWrites, rejectAfter } from './command-writes.ts';
import { type Masters, type MasterWatcher, probe, probeKey } from './masters.ts';

/** A client of one server, which the address or the Sentinels name. */
export class ServerClient extends Redis implements Masters {
  readonly #name: string;
  readonly #timeoutMs: number;

  constructor(name: string, timeoutMs: number, options: Omit<RedisOptions, 'replyMapping'>) {
    super(options);
    this.#name = name;
    this.#timeoutMs = timeoutMs;
    batchWrites(this);
  }

  override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
    rejectAfter(this.#timeoutMs, command);
    return super.sendCommand(command, stream);
  }

  masters(): readonly string[] {
    return [this.#name];
  }

  masterOf(): string {
    return this.#name;
  }

  /** Probes with keys of two slots: a node of a cluster refuses them, which shows a wrong address. */
  async check(): Promise<void> {
    await probe(this, [probeKey(0), probeKey(1)], []);
  }

  watchMasters(watcher: MasterWatcher): void {
    this.on('ready', () => watcher.ready(this.#name));
    this.on('close', () => watcher.lost(this.#name));
  }
}
