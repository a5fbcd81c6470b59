import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AddressPolicy } from './address-policy.ts';

/** An address that the policy does not permit, met while connecting. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

/**
 * Bounds on connections that wait for their next request. Those in use have no bound here: each belongs to an attempt,
 * and a queue for them would eat up the time that a receiver has to answer.
 */
export type ConnectionLimits = {
  /** Idle connections per origin. One subscription leaves as many as it had attempts at once; many share some hosts. */
  readonly maxIdlePerOrigin: number;
  /** Idle connections in all: some 130 kB each over TLS, measured with 1,000. Beyond it the longest idle one is closed. */
  readonly maxIdle: number;
  /** An idle connection is closed after this; sooner where the receiver's `Keep-Alive: timeout` says so. */
  readonly maxIdleMs: number;
  /** A connection takes no request after this, so that what a name stands for is followed. */
  readonly maxLifeMs: number;
};

export const defaultLimits: ConnectionLimits = {
  maxIdlePerOrigin: 100,
  maxIdle: 500,
  maxIdleMs: 15_000,
  maxLifeMs: 60_000,
};

/**
 * One address of several gets this long to connect before the next one is tried. Node gives an address up then, where
 * RFC 8305 (5) would race the two, so this is more than its 250 ms: a lost SYN is sent again after a second.
 */
const addressTimeoutMs = 1_500;

/** A connection is not used in the last second of what the receiver's `Keep-Alive: timeout` promises. */
const keepAliveMarginMs = 1_000;

/** Where the sender's requests get their connections. */
export type Connections = {
  /**
   * The agent for a request to `url`. `kept`: its connection may be one that was used before, and is kept after.
   * @throws {RefusedAddress} for a literal address that is not permitted.
   */
  agentFor(url: URL, use: 'kept' | 'fresh'): HttpAgent;
  /** Closes every connection. */
  close(): void;
};

/**
 * Connections to permitted addresses only, kept for the next request to the same origin. The policy looks at the
 * addresses a name resolves to, at a literal one, and at the peer's once connected; it does so for each connection, and
 * a connection never changes its peer.
 */
export function connections(options: {
  readonly policy: AddressPolicy;
  readonly resolve: LookupFunction;
  readonly limits: ConnectionLimits;
}): Connections {
  const { policy, limits } = options;
  const agentOptions = {
    lookup: permittedLookup(options),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
    agentKeepAliveTimeoutBuffer: keepAliveMarginMs,
    maxFreeSockets: limits.maxIdlePerOrigin,
    timeout: limits.maxIdleMs,
    // A resumed session is not checked against the host's name again.
    maxCachedSessions: 0,
  };
  const idle = new Set<Duplex>();
  const make = (keepAlive: boolean) => ({
    'https:': limited(new HttpsAgent({ ...agentOptions, keepAlive }), { policy, limits, idle }),
    'http:': limited(new HttpAgent({ ...agentOptions, keepAlive }), { policy, limits, idle }),
  });
  const agents = { kept: make(true), fresh: make(false) };
  return {
    agentFor: ({ protocol, hostname }, use) => {
      const host = hostname.replace(/^\[|\]$/g, '');
      // Node does not call `lookup` for a literal address.
      if (isIP(host) !== 0 && !policy.allows(host)) throw new RefusedAddress(`${host} is not permitted`);
      return agents[use][protocol === 'https:' ? 'https:' : 'http:'];
    },
    close: () => {
      for (const use of Object.values(agents)) for (const agent of Object.values(use)) agent.destroy();
    },
  };
}

/** Leaves only what is permitted of the addresses a name resolves to. */
function permittedLookup({
  policy,
  resolve,
}: {
  policy: AddressPolicy;
  resolve: LookupFunction;
}): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const addresses = Array.isArray(found) ? found.filter(({ address }) => policy.allows(address)) : [];
      const [first] = addresses;
      // The subscriber reads this: what a name means inside our network is none of their business.
      if (!first)
        return callback(new RefusedAddress(`${hostname} leads to no address that is permitted`), '');
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** Adds the policy and the limits to an agent, by the methods that Node documents as meant to be replaced. */
function limited<Kind extends HttpAgent>(
  agent: Kind,
  { policy, limits, idle }: { policy: AddressPolicy; limits: ConnectionLimits; idle: Set<Duplex> },
): Kind {
  const endsAt = new WeakMap<Duplex, number>();

  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (target, callback) => {
    const startedAt = performance.now();
    const socket = connect(target, callback);
    if (!(socket instanceof Socket)) throw new TypeError('the agent made no socket');
    endsAt.set(socket, startedAt + limits.maxLifeMs);
    // The first to hear of the connection: nothing of the request is written if it is not permitted.
    socket.once('connect', () => {
      if (policy.allows(socket.remoteAddress ?? '')) return;
      socket.destroy(new RefusedAddress(`${target.host} led to an address that is not permitted`));
    });
    socket.once('close', () => idle.delete(socket));
    return socket;
  };

  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  agent.keepSocketAlive = (socket: Duplex): boolean => {
    const leftMs = (endsAt.get(socket) ?? 0) - performance.now();
    if (!(socket instanceof Socket) || leftMs <= 0 || !keep(socket)) return false;
    socket.setTimeout(Math.ceil(Math.min(leftMs, socket.timeout ?? limits.maxIdleMs)));
    idle.add(socket);
    const [longest] = idle;
    if (idle.size > limits.maxIdle) longest?.destroy();
    return true;
  };

  const reuse = agent.reuseSocket.bind(agent);
  agent.reuseSocket = (socket, request) => {
    idle.delete(socket);
    reuse(socket, request);
  };
  return agent;
}
