import { normalAddress } from './networks.ts';

/** An IPv4 address as it is to be shown, which most are: four numbers without leading zeros. */
const plainIpv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/**
 * A client's address as logs show it and as networks of keys are compared with: without a port, brackets or a zone, IPv6 by RFC
 * 5952, and IPv4-mapped IPv6 as its IPv4. `remote` comes from the socket or a trusted proxy; a text that is no address stays as
 * it is. Undefined where it is not known.
 */
export function plainAddress(remote: string | undefined): string | undefined {
  if (remote === undefined || remote === '') return undefined;
  if (plainIpv4.test(remote)) return remote;
  const [, v4, v6] = /^(\d+\.\d+\.\d+\.\d+):\d+$|^\[([^\]]+)\](?::\d+)?$/.exec(remote) ?? []; // some proxies add the port
  const address = v4 ?? v6 ?? remote;
  return normalAddress(address) ?? address;
}

/**
 * The name under which requests of a client address are counted: an IPv4 address itself, or the /64 network of an IPv6
 * address, because one client usually has a whole network. `remote` comes from the socket or a trusted proxy.
 */
export function countedAddress(remote: string | undefined): string {
  const address = plainAddress(remote);
  if (address === undefined) return 'unknown';
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const end = tail === '' ? [] : tail.split(':');
    while (groups.length + end.length < 8) groups.push('0');
    groups.push(...end);
  }
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/**
 * The networks of a counted address. `site`: what one customer of a provider usually has, an IPv4 address or a /56.
 * `network`: what one attacker can rent cheaply, a /24 of IPv4 or a /48.
 */
export function networksOf(counted: string): { readonly site: string; readonly network: string } {
  const v4 = /^(\d+\.\d+\.\d+)\.\d+$/.exec(counted)?.[1];
  if (v4 !== undefined) return { site: counted, network: `${v4}.0/24` };
  if (!counted.endsWith('::/64')) return { site: counted, network: counted };
  const [a, b, c, d = '0'] = counted.slice(0, -'::/64'.length).split(':');
  const network = `${a}:${b}:${c}`;
  const site = (Number.parseInt(d, 16) & 0xff00).toString(16);
  return { site: `${network}:${site}::/56`, network: `${network}::/48` };
}
