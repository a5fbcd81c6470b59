import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { UpstreamAddress, type UpstreamSettings } from './upstream-address.ts';

/** Finds the IP addresses that a name stands for. */
export type NameLookup = (hostname: string) => Promise<readonly string[]>;

/** Looks names up with the system's resolver: hosts file, search domains and name servers. */
export const systemLookup: NameLookup = async (hostname) => {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
};

/** After this time, the next use of a name looks the name up again, in milliseconds. */
const freshMs = 1_000;
/** An address that look-ups have not returned for this long is closed, in milliseconds. Some name servers return only a part of the addresses each time. */
const unseenMaxMs = 60_000;

type Known = { readonly address: UpstreamAddress; seenAtMs: number };

/** One configured address of a service, and the IP addresses that its name stands for now: one for each replica. */
export class Origin {
  readonly #url: URL;
  readonly #hostname: string;
  readonly #settings: UpstreamSettings;
  readonly #lookup: NameLookup;
  readonly #known = new Map<string, Known>();
  #current: readonly UpstreamAddress[] = [];
  #lookedUpAtMs = 0;
  #pendingLookUp: Promise<void> | undefined;

  /** `origin`: scheme, name or IP address, and port. */
  constructor(origin: string, settings: UpstreamSettings, lookup: NameLookup) {
    this.#url = new URL(origin);
    this.#hostname = this.#url.hostname.replace(/^\[|\]$/g, '');
    this.#settings = settings;
    this.#lookup = lookup;
    if (isIP(this.#hostname) !== 0) this.#use([this.#hostname]);
  }

  /** The addresses known now. When they are old, starts a look-up and does not wait for its result. */
  addresses(): readonly UpstreamAddress[] {
    if (isIP(this.#hostname) === 0 && performance.now() - this.#lookedUpAtMs > freshMs) void this.lookUp();
    return this.#current;
  }

  /** Looks the name up. When the look-up fails, the known addresses stay. Never rejects. */
  lookUp(): Promise<void> {
    if (isIP(this.#hostname) !== 0) return Promise.resolve();
    this.#pendingLookUp ??= this.#lookup(this.#hostname)
      .then((found) => this.#use(found))
      .catch(() => undefined)
      .finally(() => {
        this.#lookedUpAtMs = performance.now();
        this.#pendingLookUp = undefined;
      });
    return this.#pendingLookUp;
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#known.values()].map(({ address }) => address.pool.destroy()));
  }

  #use(ips: readonly string[]): void {
    const nowMs = performance.now();
    this.#current = [...new Set(ips)].map((ip) => {
      const known = this.#known.get(ip) ?? { address: this.#make(ip), seenAtMs: nowMs };
      known.seenAtMs = nowMs;
      this.#known.set(ip, known);
      return known.address;
    });
    for (const [ip, { address, seenAtMs }] of this.#known) {
      if (nowMs - seenAtMs < unseenMaxMs) continue;
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
