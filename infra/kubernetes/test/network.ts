import type { INetworkPolicyPeer, INetworkPolicyPort } from 'kubernetes-models/networking.k8s.io/v1';
import { type Pod, podsOf, selects } from './pods.ts';
import { type Manifest, ofKind } from './render.ts';

type Direction = 'Ingress' | 'Egress';
type Rule = { readonly peers: readonly INetworkPolicyPeer[]; readonly ports: readonly INetworkPolicyPort[] };

/**
 * The rules of all policies for a pod in one direction; undefined when no policy restricts the pod.
 * @throws for a rule without peers or ports, which would allow all of them.
 */
function rulesOf(manifests: readonly Manifest[], pod: Pod, direction: Direction): Rule[] | undefined {
  const policies = ofKind(manifests, 'NetworkPolicy').filter(
    ({ spec }) => selects(spec?.podSelector, pod.labels) && spec?.policyTypes?.includes(direction),
  );
  if (policies.length === 0) return undefined;
  const rules = policies.flatMap(({ spec }) =>
    direction === 'Ingress'
      ? (spec?.ingress ?? []).map(({ from, ports }) => ({ peers: from, ports }))
      : (spec?.egress ?? []).map(({ to, ports }) => ({ peers: to, ports })),
  );
  return rules.map(({ peers, ports }) => {
    if (!peers || !ports) throw new Error(`${pod.of}: a rule for everybody or every port`);
    return { peers, ports };
  });
}

/** The connections inside the namespace that the policies of both pods allow, as `from → to:port`. */
export function connectionsInside(manifests: readonly Manifest[]): string[] {
  const pods = podsOf(manifests);
  const lets = (rules: readonly Rule[] | undefined, other: Pod, port: number) =>
    rules === undefined ||
    rules.some(
      ({ peers, ports }) =>
        ports.some((one) => one.port === port) && peers.some((peer) => isInside(peer, other)),
    );
  const found = pods.flatMap((from) =>
    pods.flatMap((to) =>
      portsOf(to)
        .filter((port) => lets(rulesOf(manifests, from, 'Egress'), to, port))
        .filter((port) => lets(rulesOf(manifests, to, 'Ingress'), from, port))
        .map((port) => `${from.name} → ${to.name}:${port}`),
    ),
  );
  return found.sort();
}

function portsOf(pod: Pod): number[] {
  return pod.containers.flatMap(({ ports = [] }) => ports.map(({ containerPort }) => containerPort));
}

/** Whether a peer of a rule is a pod of this namespace. A peer of any namespace may be one; a peer of a named one is not. */
function isInside({ podSelector, namespaceSelector }: INetworkPolicyPeer, pod: Pod): boolean {
  const otherNamespace = Object.keys(namespaceSelector?.matchLabels ?? {}).length > 0;
  return podSelector !== undefined && !otherNamespace && selects(podSelector, pod.labels);
}

/** The peers outside of its namespace that may reach a pod, or that it may reach, as `peer:port`. */
export function connectionsOutside(
  manifests: readonly Manifest[],
  pod: Pod,
  direction: Direction,
): readonly string[] {
  const found = rulesOf(manifests, pod, direction)?.flatMap(({ peers, ports }) =>
    peers.flatMap((peer) => {
      const whom = outside(peer);
      return whom === undefined ? [] : ports.map(({ port }) => `${whom}:${port}`);
    }),
  );
  return [...new Set(found ?? ['everything'])].sort();
}

function outside({ namespaceSelector, podSelector, ipBlock }: INetworkPolicyPeer): string | undefined {
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
