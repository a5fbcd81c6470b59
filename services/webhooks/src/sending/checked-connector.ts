import { isIP, type LookupFunction, Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressPolicy } from './address-policy.ts';
import type { Stopwatch } from './stopwatch.ts';

/** An address that the policy does not permit, met while connecting. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

export type ConnectorOptions = {
  readonly policy: AddressPolicy;
  readonly resolve: LookupFunction;
  readonly timeoutMs: number;
  /** Told how far the connection has come. */
  readonly way: Stopwatch;
};

/** Connects only to permitted addresses, of those a name resolves to or the literal one, and checks the peer's after. */
export function checkedConnector({
  policy,
  resolve,
  timeoutMs,
  way,
}: ConnectorOptions): buildConnector.connector {
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      way.mark('dns');
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
  const connect = buildConnector({ lookup, timeout: timeoutMs, allowH2: false });
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    // Node does not call `lookup` for a literal address.
    if (isIP(host) !== 0 && !policy.allows(host)) {
      callback(new RefusedAddress(`${host} is not permitted`), null);
      return;
    }
    const connecting: unknown = connect(target, (...result) => {
      const [error, socket] = result;
      if (error) return callback(error, null);
      way.mark(target.protocol === 'https:' ? 'tls' : 'connect');
      const peer = socket.remoteAddress ?? '';
      if (!policy.allows(peer)) {
        socket.destroy();
        return callback(new RefusedAddress(`${host} led to an address that is not permitted`), null);
      }
      way.connectedTo(peer);
      callback(null, socket);
    });
    // The connector returns the socket, which its types don't say; over TLS this comes before the handshake.
    if (connecting instanceof Socket) connecting.once('connect', () => way.mark('connect'));
  };
}
