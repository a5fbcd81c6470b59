import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { UpstreamAddress, type UpstreamSettings } from './upstream-address.ts';

/** Finds the IP addresses that a name stands for. */
export type NameLookup = (hostname: string) => Promise<readonly string[]>;

/** As the system does: hosts file, search domains and name servers. */
export const systemLookup: NameLookup = async (hostname) => {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
};

/** A name is looked up again when what is known of it is older than this and it is used, in milliseconds. */
const knownMs = 1_000;
/** An address that its name has not stood for this long is closed, in milliseconds. Some servers tell a part each time. */
const forgetMs = 60_000;

type Known = { readonly address: UpstreamAddress; seenAtMs: number };

/** One configured address of a service, and the addresses that its name stands for just now: one for each replica. */
export class Origin {
  readonly #url: URL;
  readonly #hostname: string;
  readonly #settings: UpstreamSettings;
  readonly #lookup: NameLookup;
  readonly #known = new Map<string, Known>();
  #current: readonly UpstreamAddress[] = [];
  #lookedUpAtMs = 0;
  #looking: Promise<void> | undefined;

  /** `origin`: scheme, name or IP address, and port. */
  constructor(origin: string, settings: UpstreamSettings, lookup: NameLookup) {
    this.#url = new URL(origin);
    this.#hostname = this.#url.hostname.replace(/^\[|\]$/g, '');
    this.#settings = settings;
    this.#lookup = lookup;
    if (isIP(this.#hostname) !== 0) this.#use([this.#hostname]);
  }

  /** As far as it is known; looks for news of a name, and doesn't wait for them. */
  addresses(): readonly UpstreamAddress[] {
    if (isIP(this.#hostname) === 0 && performance.now() - this.#lookedUpAtMs > knownMs) void this.look();
    return this.#current;
  }

  /** Looks the name up; what was known stays known when that fails. Never rejects. */
  look(): Promise<void> {
    if (isIP(this.#hostname) !== 0) return Promise.resolve();
    this.#looking ??= this.#lookup(this.#hostname)
      .then((found) => this.#use(found))
      .catch(() => undefined)
      .finally(() => {
        this.#lookedUpAtMs = performance.now();
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#known.values()].map(({ address }) => address.pool.destroy()));
  }

  #use(ips: readonly string[]): void {
    const now = performance.now();
    this.#current = [...new Set(ips)].map((ip) => {
      const known = this.#known.get(ip) ?? { address: this.#make(ip), seenAtMs: now };
      known.seenAtMs = now;
      this.#known.set(ip, known);
      return known.address;
    });
    for (const [ip, { address, seenAtMs }] of this.#known) {
      if (now - seenAtMs < forgetMs) continue;
      this.#known.delete(ip);
      void address.pool.close(); // when its last answer has ended
    }
  }

  #make(ip: string): UpstreamAddress {
    const { protocol, host, port } = this.#url;
    const literal = isIP(ip) === 6 ? `[${ip}]` : ip;
    return new UpstreamAddress(`${protocol}//${literal}${port && `:${port}`}`, host, this.#settings);
  }
}
