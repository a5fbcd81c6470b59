import calculateSlot from 'cluster-key-slot';
import { Cluster, type ClusterNode, type ClusterOptions, type Redis } from 'ioredis';
import { gatherWrites, giveUpAfter } from './bounded.ts';
import { type Masters, type MasterWatcher, probe, probeKey } from './masters.ts';

/** More than this many keys are not tried to find one that a master holds; a master of few slots may need thousands. */
const probeKeysTried = 100_000;

type Options = Omit<ClusterOptions, 'redisOptions'> & {
  redisOptions: Omit<NonNullable<ClusterOptions['redisOptions']>, 'replyMapping'>;
};

/** A cluster: each command goes to the master that holds its keys' slot. Replicas are never asked. */
export class ClusterClient extends Cluster implements Masters {
  readonly #timeoutMs: number;
  readonly #keyPrefix: string;
  readonly #watchers: MasterWatcher[] = [];
  #masters: readonly string[] = [];

  constructor(nodes: ClusterNode[], timeoutMs: number, options: Options) {
    super(nodes, options);
    this.#timeoutMs = timeoutMs;
    this.#keyPrefix = options.keyPrefix ?? '';
    this.on('+node', (node: Redis) => this.#use(node));
    this.on('refresh', () => this.#noteMasters());
  }

  override sendCommand(...[command, stream, node]: Parameters<Cluster['sendCommand']>): unknown {
    giveUpAfter(this.#timeoutMs, command);
    return super.sendCommand(command, stream, node);
  }

  masters(): readonly string[] {
    return this.#masters;
  }

  masterOf(key: string): string | undefined {
    return this.slots[calculateSlot(this.#keyPrefix + key)]?.[0];
  }

  /** Looks for a newer map of the cluster when the master does not take a write: another one may have its slots. */
  async check(master: string): Promise<void> {
    try {
      const key = this.#keyOf(master);
      await probe(this, [key], []);
      // A redirection would have been followed.
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
    for (let index = 0; index < probeKeysTried; index += 1) {
      const key = probeKey(index);
      if (this.masterOf(key) === master) return key;
    }
    throw new Error('the master has no slots');
  }

  /** Connects to masters before they are asked: a command would wait for its node's connection. */
  #use(node: Redis): void {
    const name = `${node.options.host}:${node.options.port}`;
    gatherWrites(node);
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
    for (const node of this.nodes('master')) connectNow(node); // promoted ones have not been connected to
    for (const watcher of this.#watchers) watcher.changed();
  }
}

/** Errors reach whoever listens to the cluster's. */
function connectNow(node: Redis): void {
  if (node.status === 'wait') node.connect().catch(() => undefined);
}
