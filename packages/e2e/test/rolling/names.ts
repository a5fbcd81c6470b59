// Loaded before a process of the system: a name that stands for both replicas, as in a cluster or a compose network.
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import { bothHosts, sharedName } from './hosts.ts';

const systems = dns.lookup.bind(dns) as (hostname: string, options: unknown) => Promise<unknown>;
dns.lookup = ((hostname: string, options: unknown) =>
  hostname === sharedName
    ? Promise.resolve(bothHosts.map((address) => ({ address, family: 4 })))
    : systems(hostname, options)) as typeof dns.lookup;
syncBuiltinESMExports();
