import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

/** Longer than a healthy name server takes, and two tries end within an attempt's deadline, in milliseconds. */
const tryTimeoutMs = 2_000;
const tries = 2;

/** Loopback without asking anybody (RFC 6761, 6.3); whether it may be connected to is the address policy's decision. */
const loopback: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

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
 * @param servers `address:port` of each name server; the system's own unless given.
 */
export function nameLookup(servers?: readonly string[]): NameLookup {
  const resolver = new Resolver({ timeout: tryTimeoutMs, tries });
  if (servers) resolver.setServers(servers);

  const addressesOf = async (hostname: string): Promise<readonly LookupAddress[]> => {
    if (/(^|\.)localhost$/i.test(hostname)) return loopback;
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [...addresses(v4, 4), ...addresses(v6, 6)];
    if (found.length === 0 && v4.status === 'rejected') throw v4.reason;
    return found;
  };

  const lookup: LookupFunction = (hostname, options, callback) => {
    addressesOf(hostname).then(
      (found) => {
        const [first] = found;
        if (options.all === true) callback(null, [...found]);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
  return { lookup, close: () => resolver.cancel() };
}

function addresses(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}
