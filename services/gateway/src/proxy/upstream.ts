import type { Resources } from '@sigcast/runtime';
import { Pool } from 'undici';

export type UpstreamTimeouts = {
  readonly connectMs: number;
  /** From the whole request sent to the status line and headers. */
  readonly headersMs: number;
  /** Between two parts of an answer's body. */
  readonly idleMs: number;
};

/** Connections to one address, usually. Beyond this, requests wait for one, within the time an answer may take. */
const maxConnections = 512;
/** An address that could not be connected to is the last choice for this long. */
const avoidMs = 1_000;

/** One address of a service. */
export type UpstreamAddress = { readonly origin: string; readonly pool: Pool; avoidUntilMs: number };

/** A service that requests are passed on to, at one address or several. */
export class Upstream {
  readonly name: string;
  readonly timeouts: UpstreamTimeouts;
  readonly #addresses: readonly UpstreamAddress[];
  #turn = 0;

  constructor(
    name: string,
    origins: readonly string[],
    timeouts: UpstreamTimeouts & { readonly connections?: number },
    resources: Resources,
  ) {
    this.name = name;
    this.timeouts = timeouts;
    this.#addresses = origins.map((origin) => ({
      origin,
      avoidUntilMs: 0,
      pool: new Pool(origin, {
        connections: timeouts.connections ?? maxConnections,
        pipelining: 1,
        allowH2: false,
        connectTimeout: timeouts.connectMs,
        // The exchange keeps its own time, which also counts waiting for a connection; this only never comes before it.
        // Where it is the same as bodyTimeout, undici need not make a timer for each answer.
        headersTimeout: Math.max(timeouts.headersMs, timeouts.idleMs),
        bodyTimeout: timeouts.idleMs,
      }),
    }));
    resources.defer(async () => {
      await Promise.all(this.#addresses.map(({ pool }) => pool.destroy()));
    });
  }

  /** The addresses in the order to try them: in turn, those lately unreachable last. */
  candidates(): readonly UpstreamAddress[] {
    if (this.#addresses.length === 1) return this.#addresses;
    this.#turn = (this.#turn + 1) % this.#addresses.length;
    const inTurn = [...this.#addresses.slice(this.#turn), ...this.#addresses.slice(0, this.#turn)];
    const now = performance.now();
    return [
      ...inTurn.filter((address) => address.avoidUntilMs <= now),
      ...inTurn.filter((address) => address.avoidUntilMs > now),
    ];
  }

  /** Notes that an address could not be connected to. */
  avoid(address: UpstreamAddress): void {
    address.avoidUntilMs = performance.now() + avoidMs;
  }

  /** Resolves when one of its addresses answers its health check. */
  async check(): Promise<void> {
    await Promise.any(this.#addresses.map(({ pool }) => passesHealthCheck(pool)));
  }
}

async function passesHealthCheck(pool: Pool): Promise<void> {
  const answer = await pool.request({
    method: 'GET',
    path: '/healthz',
    headersTimeout: 1_000,
    bodyTimeout: 1_000,
  });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
}
