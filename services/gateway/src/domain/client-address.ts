/**
 * The name under which requests of a client address are counted: an IPv4 address itself, or the /64 network of an IPv6
 * address, because one client usually has a whole network. `remote` comes from the socket or a trusted proxy.
 */
export function countedAddress(remote: string | undefined): string {
  if (remote === undefined || remote === '') return 'unknown';
  const [, v4, v6] = /^(\d+\.\d+\.\d+\.\d+):\d+$|^\[([^\]]+)\](?::\d+)?$/.exec(remote) ?? [];
  if (v4 !== undefined || v6 !== undefined) return countedAddress(v4 ?? v6); // some proxies add the port
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(remote)?.[1];
  if (mapped !== undefined) return mapped;
  if (!remote.includes(':')) return remote;
  const [head = '', tail] = remote.toLowerCase().replace(/%.*$/, '').split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const end = tail === '' ? [] : tail.split(':');
    while (groups.length + end.length < 8) groups.push('0');
    groups.push(...end);
  }
  const network = groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
