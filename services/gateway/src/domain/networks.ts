import ipaddr from 'ipaddr.js';

/** Networks of client addresses. */
export type Networks = {
  /** Whether an address, as `fullAddress` returns it, is in one of the networks. */
  includes(address: string): boolean;
};

/** How many leading bits of an IPv4-mapped IPv6 address say that it is one (RFC 4291, 2.5.5.2). */
const mappedBits = 96;

/**
 * A network in CIDR notation (RFC 4632, RFC 4291) as it is stored: without bits behind the prefix, IPv6 by RFC 5952, and
 * IPv4-mapped IPv6 as its IPv4. An address alone is a network of one. Undefined where the text is not a network.
 */
export function normalNetwork(text: string): string | undefined {
  const [address = '', prefix, ...more] = text.trim().split('/');
  const isPrefix = prefix === undefined || /^(?:0|[1-9]\d{0,2})$/.test(prefix);
  const parsed = more.length === 0 && isPrefix ? parseAddress(address) : undefined;
  if (parsed === undefined) return undefined;
  const longest = parsed.kind() === 'ipv4' ? 32 : 128;
  const bits = prefix === undefined ? longest : Number(prefix);
  if (bits > longest) return undefined;
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && bits >= mappedBits) {
    return textOf(parsed.toIPv4Address(), bits - mappedBits);
  }
  return textOf(parsed, bits);
}

/** Networks of stored texts. */
export function networksFrom(texts: readonly string[]): Networks {
  const networks = texts.map((text) => ipaddr.parseCIDR(text));
  return {
    includes: (address) => {
      const parsed = parseAddress(address);
      return (
        parsed !== undefined &&
        networks.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits))
      );
    },
  };
}

/**
 * An address as its owner would write it: IPv6 by RFC 5952, IPv4-mapped IPv6 as its IPv4, without a zone. Undefined for
 * any other text.
 */
export function normalAddress(text: string): string | undefined {
  const parsed = parseAddress(text.replace(/%.*$/, ''));
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) {
    return parsed.toIPv4Address().toString();
  }
  return parsed?.toString();
}

/** Of IPv4 only the form with four decimal numbers: others read `010.0.0.1` and `10.1` in more than one way. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  // The library takes an IPv4-compatible address, of which there are none any more, for an IPv4-mapped one.
  const isCompatible = /^::\d+\./.test(text);
  const isIpv6 = text.includes(':') && !text.includes('%') && !isCompatible && ipaddr.IPv6.isValid(text);
  return isIpv6 ? ipaddr.IPv6.parse(text) : undefined;
}

function textOf(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  const text = `${address.toString()}/${bits}`;
  const network =
    address.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(text)
      : ipaddr.IPv6.networkAddressFromCIDR(text);
  return `${network.toString()}/${bits}`;
}
