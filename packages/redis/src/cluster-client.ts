import calculateSlot from 'cluster-key-slot';
import { Cluster, type ClusterNode, type ClusterOptions, type Redis } from 'ioredis';
import { batchWrites, rejectAfter } from './command-writes.ts';
import { type Masters, type MasterWatcher, probe, probeKey } from './masters.ts';

/** The most keys that are tried to find one in a master's slots. For a master with few slots it may take thousands. */
const maxProbeKeys = 100_000;

type Options = Omit<ClusterOptions, 'redisOptions'> & {
  redisOptions: Omit<NonNullable<ClusterOptions['redisOptions']>, 'replyMapping'>;
};

/** A client of a cluster. Each command goes to the master with its keys' slot, never to a replica. */
export class ClusterClient extends Cluster implements Masters {
  readonly #timeoutMs: number;
  readonly #keyPrefix: string;
  readonly #watchers: MasterWatcher[] = [];
  #masters: readonly string[] = [];

  constructor(nodes: ClusterNode[], timeoutMs: number, options: Options) {
    super(nodes, options);
    this.#timeoutMs = timeoutMs;
    this.#keyPrefix = options.keyPrefix ?? '';
    this.on('+node', (node: Redis) => this.#addNode(node));
    this.on('refresh', () => this.#noteMasters());
  }

  override sendCommand(...[command, stream, node]: Parameters<Cluster['sendCommand']>): unknown {
    rejectAfter(this.#timeoutMs, command);
    return super.sendCommand(command, stream, node);
  }

  masters(): readonly string[] {
    return this.#masters;
  }

  masterOf(key: string): string | undefined {
    return this.slots[calculateSlot(this.#keyPrefix + key)]?.[0];
  }

  /** Probes a master. On failure reads the map of slots again, because another master may have the slots by now. */
  async check(master: string): Promise<void> {
    try {
      const key = this.#keyOf(master);
      await probe(this, [key], []);
      // ioredis follows a redirection, and changes the map of slots.
      if (this.masterOf(key) !== master) throw new Error('the slots have another master');
    } catch (error) {
      this.refreshSlotsCache();
      throw error;
    }
  }

  watchMasters(watcher: MasterWatcher): void {
    this.#watchers.push(watcher);
  }

  #keyOf(master: string): string {
    for (let index = 0; index < maxProbeKeys; index += 1) {
      const key = probeKey(index);
      if (this.masterOf(key) === master) return key;
    }
    throw new Error('the master has no slots');
  }

  /** Connects to a master before the first command, which would otherwise wait for the connection. */
  #addNode(node: Redis): void {
    const name = `${node.options.host}:${node.options.port}`;
    batchWrites(node);
    node.on('ready', () => {
      for (const watcher of this.#watchers) watcher.ready(name);
    });
    node.on('close', () => {
      for (const watcher of this.#watchers) watcher.lost(name);
    });
    if (!node.options.readOnly) connectNow(node);
  }

  #noteMasters(): void {
    this.#masters = [...new Set(this.slots.flatMap(([master]) => master ?? []))];
    for (const node of this.nodes('master')) connectNow(node); // a promoted replica is not connected yet
    for (const watcher of this.#watchers) watcher.changed();
  }
}

/** Connects a node that is not connected yet. The cluster emits its errors. */
function connectNow(node: Redis): void {
  if (node.status === 'wait') node.connect().catch(() => undefined);
}
