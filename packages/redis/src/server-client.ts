import { Redis, type RedisOptions } from 'ioredis';
import { gatherWrites, giveUpAfter } from './bounded.ts';
import { type Masters, type MasterWatcher, probe, probeKey } from './masters.ts';

/** One server that is asked for everything: it is named in the address, or by Sentinels. */
export class ServerClient extends Redis implements Masters {
  readonly #name: string;
  readonly #timeoutMs: number;

  constructor(name: string, timeoutMs: number, options: Omit<RedisOptions, 'replyMapping'>) {
    super(options);
    this.#name = name;
    this.#timeoutMs = timeoutMs;
    gatherWrites(this);
  }

  override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
    giveUpAfter(this.#timeoutMs, command);
    return super.sendCommand(command, stream);
  }

  masters(): readonly string[] {
    return [this.#name];
  }

  masterOf(): string {
    return this.#name;
  }

  /** A cluster's node refuses two keys of different slots, whichever slots it holds. */
  async check(): Promise<void> {
    await probe(this, [probeKey(0), probeKey(1)], []);
  }

  watchMasters(watcher: MasterWatcher): void {
    this.on('ready', () => watcher.ready(this.#name));
    this.on('close', () => watcher.lost(this.#name));
  }
}
