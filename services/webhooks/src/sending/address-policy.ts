import ipaddr from 'ipaddr.js';

/** Which callback addresses are permitted, by their text and by the IP address of the connection. */
export type AddressPolicy = {
  /** What is wrong with the text of an address; undefined when it is permitted. */
  checkUrl(text: string): string | undefined;
  /** Whether a connection to this IP address is permitted, and to this port, once it is known. */
  allows(address: string, port?: number): boolean;
};

/** Ports from the first to the last. */
export type PortRange = { readonly first: number; readonly last: number };

type AddressPolicySettings = {
  readonly allowHttp: boolean;
  /** Networks that are permitted although they are not public. */
  readonly allowedNetworks: readonly string[];
  /** Ports that are permitted besides the usual ones. */
  readonly ports?: readonly PortRange[];
  /** Ports of the system's own processes, which are refused in allowed networks. */
  readonly ownPorts?: readonly PortRange[];
};

const httpsPorts = [443, 8443];
const httpPorts = [80, 8080];

const maxNameLength = 253;
const maxLabelLength = 63;

/** Azure's host agent answers at this address, which looks public, inside each virtual machine. */
const refusedIpv4 = ['168.63.129.16/32'].map((network) => ipaddr.parseCIDR(network));

/** Names that are never public (RFC 6761, RFC 6762, RFC 8375, and cloud providers' own). */
const insideNames =
  /(^|\.)(localhost|localdomain|local|svc|internal|intranet|lan|home|corp|home\.arpa|test|invalid|example|onion)$/;

export function addressPolicy({
  allowHttp,
  allowedNetworks,
  ports: morePorts = [],
  ownPorts = [],
}: AddressPolicySettings): AddressPolicy {
  const networks = allowedNetworks.map((network) => ipaddr.parseCIDR(network));
  const development = networks.length > 0;

  const admits = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
    networks.some((network) => address.kind() === network[0].kind() && address.match(network));

  const allows = (address: string, port?: number): boolean => {
    if (!ipaddr.isValid(address) || address.includes('%')) return false;
    const parsed = ipaddr.parse(address);
    if (admits(parsed)) return port === undefined || !isIn(ownPorts, port);
    return isPublic(parsed);
  };

  const usual = [...httpsPorts, ...(allowHttp ? httpPorts : [])].map((port) => ({ first: port, last: port }));
  const ports = [...usual, ...morePorts];
  const listed = ports.map(({ first, last }) => (first === last ? first : `${first}-${last}`)).join(', ');
  const checkPort = (url: URL, { inside }: { readonly inside: boolean }): string | undefined => {
    const port = portOf(url);
    if (!isIn(ports, port)) return `must use port ${listed} or none`;
    return inside && isIn(ownPorts, port) ? 'must not be an address of Sigcast itself' : undefined;
  };

  const checkHost = (url: URL, text: string): string | undefined => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (ipaddr.isValid(host)) {
      // The parser normalises decimal, octal, hexadecimal, short and full-width forms, which are refused.
      if (!authority(text).toLowerCase().includes(host)) return 'must have its IP address in the usual form';
      if (!allows(host)) return 'must not have a private, local or reserved IP address';
      return checkPort(url, { inside: admits(ipaddr.parse(host)) });
    }
    if (host.endsWith('.')) return 'must not have a host name that ends with a dot';
    const labels = host.split('.');
    if (labels.includes('')) return 'must not have an empty part between the dots of its host name';
    // RFC 1035, 2.3.4: a name that DNS can hold.
    if (host.length > maxNameLength || labels.some(({ length }) => length > maxLabelLength)) {
      return `must have a host name of at most ${maxNameLength} characters, ${maxLabelLength} between two dots`;
    }
    if (host.includes('.') && !insideNames.test(host)) return checkPort(url, { inside: false });
    // In development such names are accepted. Their IP addresses are checked when a connection is made.
    return development ? checkPort(url, { inside: true }) : 'must have a public host name';
  };

  // The scheme may be written in any case (RFC 3986, 3.1).
  const checkUrl = (text: string): string | undefined => {
    if (/[\s\\]|[^\x21-\x7e]/.test(text))
      return 'must be an address without spaces, backslashes or non-ASCII characters';
    const schemes = allowHttp ? /^https?:\/\//i : /^https:\/\//i;
    if (!schemes.test(text))
      return allowHttp ? 'must begin with https:// or http://' : 'must begin with https://';
    const url = URL.parse(text);
    if (!url) return 'must be a complete address, such as https://example.com/hook';
    // The parser skips further slashes, and takes the first part of the path for the host.
    if (authority(text) === '')
      return 'must have its host name right after //, as in https://example.com/hook';
    if (url.username !== '' || url.password !== '' || authority(text).includes('@')) {
      return 'must not carry a user name or password';
    }
    if (text.includes('#')) return 'must not have a fragment';
    return checkHost(url, text);
  };

  return { checkUrl, allows };
}

function isIn(ranges: readonly PortRange[], port: number): boolean {
  return ranges.some(({ first, last }) => first <= port && port <= last);
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

function authority(text: string): string {
  return /^[a-z]+:\/\/([^/?#]*)/i.exec(text)?.[1] ?? '';
}

/** Whether an IP address is public unicast; for IPv6 in 2000::/3 and not in a range that wraps IPv4 (6to4, Teredo). */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return !refusedIpv4.some((network) => address.match(network));
  return address.match(ipaddr.parseCIDR('2000::/3'));
}
