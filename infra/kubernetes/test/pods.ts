import type { Manifest } from './render.ts';

type Container = {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: probes and resources, checked by the published schemas.
  readonly [field: string]: any;
};

/** A pod that a manifest leads to. */
export type Pod = {
  /** Kind and name of what makes it. */
  readonly of: string;
  readonly kind: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: a pod's spec, checked by the published schemas.
  readonly spec: Record<string, any>;
  readonly containers: readonly Container[];
};

/** All pods of an installation. */
export function podsOf(manifests: readonly Manifest[]): Pod[] {
  return manifests.flatMap(({ kind, metadata, spec }) => {
    const template = kind === 'CronJob' ? spec.jobTemplate.spec.template : spec?.template;
    if (template?.spec?.containers === undefined) return [];
    return [
      {
        ...{ kind, name: metadata.name, of: `${kind} ${metadata.name}` },
        labels: template.metadata?.labels ?? {},
        spec: template.spec,
        containers: [...template.spec.containers, ...(template.spec.initContainers ?? [])],
      },
    ];
  });
}

type Requirement = { readonly key: string; readonly operator: string; readonly values?: readonly string[] };
type Selector = {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly Requirement[];
};

/** Whether a label selector selects these labels. @throws for operators that no manifest here uses. */
export function selects(selector: Selector, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In') throw new Error(`the operator ${operator} is not known here`);
      return values.includes(labels[key] ?? '');
    })
  );
}
