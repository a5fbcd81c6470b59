import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AddressPolicy } from './address-policy.ts';

/** The name or the connection led to an IP address that the policy does not permit. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

/**
 * Bounds on idle connections. Connections in use are not bounded here: each belongs to an attempt, and waiting for a free
 * connection would take time from the attempt's timeout.
 */
export type ConnectionLimits = {
  /** The most idle connections per origin. A subscription leaves as many as it had attempts at once; some hosts have many subscriptions. */
  readonly maxIdlePerOrigin: number;
  /** The most idle connections in all: some 130 kB each over TLS, measured with 1,000. The longest idle one is closed first. */
  readonly maxIdle: number;
  /** An idle connection is closed after this time, or sooner as the receiver's `Keep-Alive: timeout` says. */
  readonly maxIdleMs: number;
  /** A connection takes no request after this time, so that changes of DNS records are followed. */
  readonly maxLifeMs: number;
};

export const defaultLimits: ConnectionLimits = {
  maxIdlePerOrigin: 250,
  maxIdle: 500,
  maxIdleMs: 15_000,
  maxLifeMs: 60_000,
};

/**
 * How long Node tries to connect to one of several addresses before it tries the next, in milliseconds. Node abandons the
 * first one, whereas RFC 8305 (5) races the two. So this is more than the 250 ms of the RFC: a lost SYN is sent again after 1 s.
 */
const addressTimeoutMs = 1_500;

/** A connection is not used in the last second of the receiver's `Keep-Alive: timeout`. */
const keepAliveMarginMs = 1_000;

/** The connections of a sender. */
export type Connections = {
  /**
   * The agent for a request to `url`. `kept`: the request may use a kept connection, and its connection is kept afterwards.
   * @throws {RefusedAddress} for an IP address that is not permitted.
   */
  agentFor(url: URL, use: 'kept' | 'fresh'): HttpAgent;
  /** Closes every connection. */
  close(): void;
};

/**
 * Connections to permitted IP addresses, kept for the next request to the same origin. The policy checks each new connection:
 * the addresses that its name resolves to, or the address in the URL, and the address of the peer once it is connected.
 */
export function connections(options: {
  readonly policy: AddressPolicy;
  readonly resolve: LookupFunction;
  readonly limits: ConnectionLimits;
}): Connections {
  const { policy, resolve, limits } = options;
  const agentOptions = {
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
    agentKeepAliveTimeoutBuffer: keepAliveMarginMs,
    maxFreeSockets: limits.maxIdlePerOrigin,
    timeout: limits.maxIdleMs,
    // TLS sessions are not resumed, because a resumed session is not checked against the host's name.
    maxCachedSessions: 0,
  };
  const idle = new Set<Duplex>();
  const make = (keepAlive: boolean) => ({
    'https:': limited(new HttpsAgent({ ...agentOptions, keepAlive }), { policy, resolve, limits, idle }),
    'http:': limited(new HttpAgent({ ...agentOptions, keepAlive }), { policy, resolve, limits, idle }),
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

/** Resolves a name to the addresses that are permitted with a port. */
function permittedLookup(
  port: number,
  { policy, resolve }: { policy: AddressPolicy; resolve: LookupFunction },
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const addresses = Array.isArray(found)
        ? found.filter(({ address }) => policy.allows(address, port))
        : [];
      const [first] = addresses;
      // The subscriber reads this text, which must not show an address inside of our network.
      if (!first)
        return callback(new RefusedAddress(`${hostname} leads to no address that is permitted`), '');
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** Adds the policy and the limits to an agent by overriding methods that Node documents for this. */
function limited<Kind extends HttpAgent>(
  agent: Kind,
  {
    policy,
    resolve,
    limits,
    idle,
  }: { policy: AddressPolicy; resolve: LookupFunction; limits: ConnectionLimits; idle: Set<Duplex> },
): Kind {
  const endsAt = new WeakMap<Duplex, number>();

  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (target, callback) => {
    const startedAt = performance.now();
    const lookup = permittedLookup(Number(target.port), { policy, resolve });
    const socket = connect({ ...target, lookup }, callback);
    if (!(socket instanceof Socket)) throw new TypeError('the agent made no socket');
    endsAt.set(socket, startedAt + limits.maxLifeMs);
    // This listener is the first, so nothing of the request is written to a peer that is not permitted.
    socket.once('connect', () => {
      if (policy.allows(socket.remoteAddress ?? '', socket.remotePort)) return;
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
