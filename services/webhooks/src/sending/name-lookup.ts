import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** Longer than a healthy name server takes, and two tries end within an attempt's deadline, in milliseconds. */
const tryTimeoutMs = 2_000;
const tries = 2;

/** How long the addresses of one family are waited for when those of the other are here, in milliseconds. */
const otherFamilyMs = 50;

/** Loopback without asking anybody (RFC 6761, 6.3); whether it may be connected to is the address policy's decision. */
const loopback: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

export type NameLookupOptions = {
  /** `address:port` of each name server; the system's own unless given. */
  readonly servers?: readonly string[] | undefined;
  /** Whether IPv6 addresses are of any use. */
  readonly ipv6?: () => boolean;
};

/** Looks names up for sockets. */
export type NameLookup = {
  readonly lookup: LookupFunction;
  /** Gives up what is still being asked. */
  close(): void;
};

/**
 * A look-up that asks name servers itself. Node's own calls `getaddrinfo` on four threads shared by the
 * whole process: four names whose servers keep silent would hold up the deliveries to everybody else, past their
 * deadline. The price is that `/etc/hosts` and search domains don't count.
 *
 * Addresses of both families are asked for. Once those of one are here, the others are waited for no longer than 50 ms
 * (RFC 8305, 3). IPv4 comes first in the result.
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
 * Whether this machine has an IPv6 address that is not on loopback or one link only: without one, IPv6 addresses of others
 * lead nowhere (as `AI_ADDRCONFIG`, RFC 3493, 6.1, has it).
 */
function hasIpv6(): boolean {
  return Object.values(networkInterfaces())
    .flat()
    .some((address) => address?.family === 'IPv6' && !address.internal && address.scopeid === 0);
}
