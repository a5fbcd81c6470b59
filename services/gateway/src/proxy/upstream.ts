import type { ServiceName } from '@sigcast/contracts';
import type { Resources } from '@sigcast/runtime';
import { type NameLookup, Origin } from './origin.ts';
import type { UpstreamAddress, UpstreamSettings, UpstreamTimeouts } from './upstream-address.ts';

export type UpstreamOptions = UpstreamSettings & {
  readonly name: ServiceName | 'scanner';
  /** One URL or several: scheme, host and port. Each host is an IP address or a name, which may stand for several addresses. */
  readonly origins: readonly string[];
  readonly lookup: NameLookup;
};

/** A service that requests are forwarded to, with the addresses of all its replicas. */
export class Upstream {
  readonly name: ServiceName | 'scanner';
  readonly timeouts: UpstreamTimeouts;
  readonly #origins: readonly Origin[];
  #turn = 0;

  constructor(options: UpstreamOptions, resources: Resources) {
    const { name, origins, ...settings } = options;
    this.name = name;
    this.timeouts = settings;
    this.#origins = origins.map((origin) => new Origin(origin, settings, settings.lookup));
    void this.lookUp();
    resources.defer(async () => {
      await Promise.all(this.#origins.map((origin) => origin.destroy()));
    });
  }

  /**
   * The next address by round robin. An unhealthy address is chosen only when its retry is due, or when there is no other.
   * @returns undefined when all known addresses have been tried.
   */
  next(tried: ReadonlySet<UpstreamAddress>): UpstreamAddress | undefined {
    const addresses = this.#addresses();
    const nowMs = performance.now();
    let best: UpstreamAddress | undefined;
    this.#turn = (this.#turn + 1) % Math.max(1, addresses.length);
    for (let i = 0; i < addresses.length; i += 1) {
      const address = addresses[(this.#turn + i) % addresses.length];
      if (address === undefined || tried.has(address)) continue;
      if (address.nextTryAtMs <= nowMs) {
        best = address;
        break;
      }
      if (best === undefined || address.nextTryAtMs < best.nextTryAtMs) best = address;
    }
    best?.noteRequest();
    return best;
  }

  /** Looks up the addresses of all names. Never rejects. */
  async lookUp(): Promise<void> {
    await Promise.all(this.#origins.map((origin) => origin.lookUp()));
  }

  /** Resolves when one address answers its health check, rejects when none does. */
  async check(): Promise<void> {
    await this.lookUp();
    await Promise.any(this.#addresses().map((address) => address.check()));
  }

  #addresses(): readonly UpstreamAddress[] {
    return this.#origins.flatMap((origin) => origin.addresses());
  }
}
