// Preloaded into processes of the system: makes a name stand for both replicas, as in a cluster or a compose network.
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import { bothHosts, sharedName } from './hosts.ts';

const originalLookup = dns.lookup.bind(dns) as (hostname: string, options: unknown) => Promise<unknown>;
dns.lookup = ((hostname: string, options: unknown) =>
  hostname === sharedName
    ? Promise.resolve(bothHosts.map((address) => ({ address, family: 4 })))
    : originalLookup(hostname, options)) as typeof dns.lookup;
syncBuiltinESMExports();
