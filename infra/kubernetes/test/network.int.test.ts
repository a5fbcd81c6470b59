import ipaddr from 'ipaddr.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { addressPolicy } from '../../../services/webhooks/src/sending/address-policy.ts';
import { addressBlocks, connectionsInside, connectionsOutside } from './network.ts';
import { podsOf } from './pods.ts';
import { followers, installations, type Manifest, ofKind, renderAll, renderTimeoutMs } from './render.ts';

let rendered: ReadonlyMap<string, Manifest[]>;
beforeAll(async () => {
  rendered = await renderAll();
}, renderTimeoutMs);

const of = (installation: string) => rendered.get(installation) ?? [];
const pod = (installation: string, name: string) => {
  const found = podsOf(of(installation)).find((one) => one.name === name);
  if (!found) throw new Error(`no pod is named ${name}`);
  return found;
};

const services = [
  'gateway → signals:8080',
  'gateway → stats:8080',
  'gateway → tracker:8080',
  'gateway → webhooks-api:8080',
  'stats-rebuild → signals:8080',
  'stats-verify → signals:8080',
  'tracker-backfill → signals:8080',
];
/** Connections that only production has, as it has poller and scanner. */
const ofFollowers = ['gateway → scanner:8080', 'scanner → signals:8080', 'tracker-poller → signals:8080'];

/** The pods that reach the Internet, and the ports they reach there. */
const internetPorts: Readonly<Record<string, readonly number[]>> = {
  'webhooks-worker': [443, 8443],
  'tracker-poller': [443],
  scanner: [443],
};

describe.each(installations)('%s', (installation) => {
  it('lets only the gateway’s port be reached from outside, by one Ingress', () => {
    const manifests = of(installation);
    const types = ofKind(manifests, 'Service').map(({ spec }) => spec?.type ?? 'ClusterIP');
    expect([...new Set(types)]).toEqual(['ClusterIP']);
    const ports = podsOf(manifests).flatMap(({ containers }) => containers.flatMap((one) => one.ports ?? []));
    expect(ports.filter(({ hostPort }) => hostPort !== undefined)).toEqual([]);
    const backends = ofKind(manifests, 'Ingress')
      .flatMap(({ spec }) => spec?.rules ?? [])
      .flatMap(({ http }) => http?.paths ?? [])
      .map(({ backend }) => backend.service?.name);
    expect(backends).toEqual(['gateway']);
    const reachable = podsOf(manifests).flatMap((one) =>
      connectionsOutside(manifests, one, 'Ingress').map((from) => `${from} → ${one.name}`),
    );
    expect(reachable.sort()).toEqual([
      'any namespace[sigcast-producer=true]:8080 → signals',
      'ingress-nginx:8080 → gateway',
      'monitoring:9090 → gateway',
      ...(followers.includes(installation) ? ['monitoring:9090 → scanner'] : []),
      'monitoring:9090 → signals',
      'monitoring:9090 → stats',
      'monitoring:9090 → tracker',
      ...(followers.includes(installation) ? ['monitoring:9090 → tracker-poller'] : []),
      'monitoring:9090 → webhooks-api',
      'monitoring:9090 → webhooks-worker',
    ]);
  });

  it('lets nobody but worker, poller and scanner reach the Internet', () => {
    for (const one of podsOf(of(installation))) {
      const open = addressBlocks(of(installation), one)
        .map(({ cidr }) => cidr)
        .filter((cidr) => !cidr.startsWith('10.20.'));
      expect({ [one.name]: [...new Set(open)] }).toEqual({
        [one.name]: internetPorts[one.name] ? ['0.0.0.0/0', '2000::/3'] : [],
      });
    }
  });

  it('lets each pod reach, outside of its namespace, only the cluster’s DNS, its stores, for the gateway the mail server and, for three of them, the Internet', () => {
    const dns = 'kube-system[k8s-app=kube-dns]:53';
    for (const one of podsOf(of(installation)).filter(({ kind }) => kind !== 'StatefulSet')) {
      const stores =
        installation === 'overlays/production'
          ? [
              ...(one.labels['uses-mongodb'] ? ['10.20.1.0/28:27017'] : []),
              ...(one.labels['uses-rabbitmq'] ? ['10.20.2.0/28:5671'] : []),
              ...(one.labels['uses-redis'] ? ['10.20.3.0/28:6379'] : []),
              ...(one.name === 'gateway' ? ['10.20.4.0/28:587'] : []),
            ]
          : [];
      const own = (internetPorts[one.name] ?? []).flatMap((port) => [
        `0.0.0.0/0:${port}`,
        `2000::/3:${port}`,
      ]);
      expect({ [one.name]: connectionsOutside(of(installation), one, 'Egress') }).toEqual({
        [one.name]: [...own, ...stores, dns].sort(),
      });
    }
  });
});

it('in production, only the gateway, the commands of stats and of the tracker, poller and scanner reach a service', () => {
  expect(connectionsInside(of('overlays/production'))).toEqual([...services, ...ofFollowers].sort());
});

it('in development, each pod reaches the stores that it uses, and no others', () => {
  const users = {
    'mongodb:27017': [
      ...['gateway', 'signals', 'stats', 'webhooks-api', 'webhooks-worker', 'stats-rebuild', 'stats-verify'],
      ...['gateway-indexes', 'signals-indexes', 'stats-indexes', 'webhooks-indexes'],
      ...['tracker', 'tracker-indexes', 'tracker-backfill'],
    ],
    'rabbitmq:5672': ['gateway', 'signals', 'stats', 'webhooks-worker', 'tracker'],
    'redis:6379': ['gateway'],
  };
  const stores = Object.entries(users).flatMap(([store, names]) => names.map((name) => `${name} → ${store}`));
  expect(connectionsInside(of('overlays/development'))).toEqual([...services, ...stores].sort());
});

describe('the network policy of the worker', () => {
  const allows = (installation: string, address: string) => {
    const parsed = ipaddr.parse(address);
    const within = (cidr: string) => {
      const network = ipaddr.parseCIDR(cidr);
      return network[0].kind() === parsed.kind() && parsed.match(network);
    };
    return addressBlocks(of(installation), pod(installation, 'webhooks-worker'))
      .filter(({ cidr }) => !cidr.startsWith('10.20.'))
      .some(({ cidr, except = [] }) => within(cidr) && !except.some(within));
  };
  const { allows: workerAllows } = addressPolicy({ allowHttp: false, allowedNetworks: [] });

  it.each([
    ...['10.0.0.1', '10.96.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '127.0.0.1'],
    ...['169.254.169.254', '0.0.0.0', '192.0.0.8', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
    ...['168.63.129.16', '192.0.2.1', '203.0.113.9', '192.88.99.1'],
    ...[
      '::1',
      'fc00::1',
      'fd12::1',
      'fe80::1',
      'ff02::1',
      '::ffff:10.0.0.1',
      '64:ff9b::a00:1',
      '2002:a00:1::',
    ],
    ...['2001:0:a00:1::', '2001:db8::1'],
  ])('does not allow %s, and the worker itself refuses this address too', (address) => {
    for (const installation of installations) expect(allows(installation, address)).toBe(false);
    expect(workerAllows(address)).toBe(false);
  });

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '193.0.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ])('allows %s, and so does the worker itself', (address) => {
    for (const installation of installations) expect(allows(installation, address)).toBe(true);
    expect(workerAllows(address)).toBe(true);
  });
});
