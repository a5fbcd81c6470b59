import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** The timeout of one DNS query, in milliseconds: two tries end within an attempt's timeout. */
const tryTimeoutMs = 2_000;
const tries = 2;

/** How long to wait for the addresses of one family when those of the other have arrived, in milliseconds. */
const otherFamilyMs = 50;

/** The addresses of `localhost`, without a DNS query (RFC 6761, 6.3). The address policy decides whether they are permitted. */
const loopback: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

type NameLookupOptions = {
  /** `address:port` of each name server; the system's name servers unless given. */
  readonly servers?: readonly string[] | undefined;
  /** Whether IPv6 addresses are queried. */
  readonly ipv6?: () => boolean;
};

/** Resolves the host names of connections. */
export type NameLookup = {
  readonly lookup: LookupFunction;
  /** Cancels the queries that are under way. */
  close(): void;
};

/**
 * A lookup that queries name servers itself. Node's own lookup calls `getaddrinfo` on four threads that the whole process
 * shares: four names whose servers do not answer would block all other deliveries past their timeouts. In exchange,
 * `/etc/hosts` and search domains are not used.
 *
 * Addresses of both families are queried at once. When those of one family have arrived, the lookup waits for the others for
 * at most 50 ms (RFC 8305, 3). IPv4 addresses come first in the result.
 */
export function nameLookup({ servers, ipv6 = hasIpv6 }: NameLookupOptions = {}): NameLookup {
  const resolver = new Resolver({ timeout: tryTimeoutMs, tries });
  if (servers) resolver.setServers(servers);

  const addressesOf = async (hostname: string): Promise<LookupAddress[]> => {
    if (/(^|\.)localhost$/i.test(hostname)) return [...loopback];
    const found: LookupAddress[] = [];
    const note = (family: 4 | 6, addresses: readonly string[]) => {
      found.push(...addresses.map((address) => ({ address, family })));
    };
    const asked = [resolver.resolve4(hostname).then((addresses) => note(4, addresses))];
    if (ipv6()) asked.push(resolver.resolve6(hostname).then((addresses) => note(6, addresses)));
    await Promise.any(asked).catch((error: AggregateError) => {
      throw error.errors[0];
    });
    await Promise.race([Promise.allSettled(asked), pause(otherFamilyMs)]);
    return found.toSorted((one, other) => one.family - other.family);
  };

  const lookup: LookupFunction = (hostname, options, callback) => {
    addressesOf(hostname).then(
      (found) => {
        const [first] = found;
        if (options.all === true) callback(null, found);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
  return { lookup, close: () => resolver.cancel() };
}

/**
 * Whether this machine has an IPv6 address beyond loopback and link-local ones. Without one, IPv6 addresses cannot be
 * reached (as `AI_ADDRCONFIG` of RFC 3493, 6.1).
 */
function hasIpv6(): boolean {
  return Object.values(networkInterfaces())
    .flat()
    .some((address) => address?.family === 'IPv6' && !address.internal && address.scopeid === 0);
}
