import type { IContainer, IPodSpec } from 'kubernetes-models/v1';
import { type Manifest, ofKind } from './render.ts';

/** A pod that an object of an installation makes. */
export type Pod = {
  readonly kind: 'Deployment' | 'StatefulSet' | 'Job' | 'CronJob';
  readonly name: string;
  /** The kind and name of the object that makes it. */
  readonly of: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: IPodSpec;
  readonly containers: readonly IContainer[];
};

/** All pods of an installation. */
export function podsOf(manifests: readonly Manifest[]): Pod[] {
  const made = (['Deployment', 'StatefulSet', 'Job'] as const).flatMap((kind) =>
    ofKind(manifests, kind).map(({ metadata, spec }) => ({ kind, metadata, template: spec?.template })),
  );
  const scheduled = ofKind(manifests, 'CronJob').map(({ metadata, spec }) => ({
    kind: 'CronJob' as const,
    metadata,
    template: spec?.jobTemplate.spec?.template,
  }));
  return [...made, ...scheduled].map(({ kind, metadata: { name }, template }) => {
    if (!template?.spec) throw new Error(`${kind} ${name} has no pods`);
    const { spec } = template;
    const labels = template.metadata?.labels ?? {};
    const containers = [...spec.containers, ...(spec.initContainers ?? [])];
    return { kind, name, of: `${kind} ${name}`, labels, spec, containers };
  });
}

type Selector = {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
};

/** Whether a label selector selects these labels; an empty one selects all. @throws for operators unused here. */
export function selects(selector: Selector | undefined, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In') throw new Error(`the operator ${operator} is not known here`);
      return values.includes(labels[key] ?? '');
    })
  );
}
