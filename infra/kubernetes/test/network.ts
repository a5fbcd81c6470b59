import { type Pod, podsOf, selects } from './pods.ts';
import type { Manifest } from './render.ts';

type Port = { readonly protocol: string; readonly port: number };
type Peer = {
  readonly podSelector?: Parameters<typeof selects>[0];
  readonly namespaceSelector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
};
type Direction = 'Ingress' | 'Egress';
type Rule = { readonly peers: readonly Peer[]; readonly ports: readonly Port[] };

/** What the policies let a pod take part in, in one direction; undefined where none restricts it. */
function rulesOf(manifests: readonly Manifest[], pod: Pod, direction: Direction): Rule[] | undefined {
  const policies = manifests.filter(
    ({ kind, spec }) =>
      kind === 'NetworkPolicy' &&
      selects(spec.podSelector, pod.labels) &&
      spec.policyTypes.includes(direction),
  );
  if (policies.length === 0) return undefined;
  return policies.flatMap(({ spec }) =>
    (direction === 'Ingress' ? (spec.ingress ?? []) : (spec.egress ?? [])).map(
      // Without peers or ports a rule means all of them; no manifest here may have such a one.
      (rule: Record<string, unknown>) => {
        const peers = rule[direction === 'Ingress' ? 'from' : 'to'];
        if (!Array.isArray(peers) || !Array.isArray(rule.ports)) throw new Error(`${pod.of}: a rule for all`);
        return { peers, ports: rule.ports };
      },
    ),
  );
}

/** Who may open a connection to whom inside the namespace: `from → to:port`. */
export function connectionsInside(manifests: readonly Manifest[]): string[] {
  const pods = podsOf(manifests);
  const lets = (rule: Rule, pod: Pod, port: number) =>
    rule.ports.some((one) => one.port === port) &&
    rule.peers.some(
      ({ podSelector, namespaceSelector }) =>
        podSelector !== undefined &&
        Object.keys(namespaceSelector?.matchLabels ?? {}).length === 0 &&
        selects(podSelector, pod.labels),
    );
  const portsOf = (pod: Pod): number[] =>
    pod.containers.flatMap(({ ports = [] }) =>
      ports.map((port: { containerPort: number }) => port.containerPort),
    );
  const found = pods.flatMap((from) =>
    pods.flatMap((to) =>
      portsOf(to)
        .filter((port) => rulesOf(manifests, from, 'Egress')?.some((rule) => lets(rule, to, port)) ?? true)
        .filter((port) => rulesOf(manifests, to, 'Ingress')?.some((rule) => lets(rule, from, port)) ?? true)
        .map((port) => `${from.name} → ${to.name}:${port}`),
    ),
  );
  return [...new Set(found)].sort();
}

/** Whom a pod may be reached from, or may reach, beyond its namespace: `what:port`. */
export function connectionsOutside(
  manifests: readonly Manifest[],
  pod: Pod,
  direction: Direction,
): readonly string[] {
  const rules = rulesOf(manifests, pod, direction) ?? [{ peers: [{ ipBlock: { cidr: 'any' } }], ports: [] }];
  const found = rules.flatMap(({ peers, ports }) =>
    peers.flatMap((peer) => {
      const whom = outside(peer);
      return whom === undefined ? [] : ports.map(({ port }) => `${whom}:${port}`);
    }),
  );
  return [...new Set(found)].sort();
}

function outside({ namespaceSelector, podSelector, ipBlock }: Peer): string | undefined {
  if (ipBlock) return ipBlock.cidr;
  if (!namespaceSelector) return undefined;
  const pods = Object.entries(podSelector?.matchLabels ?? {}).map(([key, value]) => `[${key}=${value}]`);
  return `${Object.values(namespaceSelector.matchLabels ?? {})[0] ?? 'any namespace'}${pods.join('')}`;
}

/** The blocks of addresses that a pod may connect to. */
export function addressBlocks(manifests: readonly Manifest[], pod: Pod) {
  return (rulesOf(manifests, pod, 'Egress') ?? []).flatMap(({ peers }) =>
    peers.flatMap(({ ipBlock }) => (ipBlock ? [ipBlock] : [])),
  );
}
