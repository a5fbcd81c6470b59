import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { IScaledObject, ITriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { ensureKubectl } from '@sigcast/local';
import type { IDeployment, IStatefulSet } from 'kubernetes-models/apps/v1';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import type { ICronJob, IJob } from 'kubernetes-models/batch/v1';
import type { IIngress, INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1';
import type { INamespace, ISecret, IService } from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';

/** A Kubernetes object as a manifest has it. */
export type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
};

/** The kinds of objects that tests read. `validate` checks that an object fits its kind. */
type Kinds = {
  Deployment: IDeployment;
  StatefulSet: IStatefulSet;
  Job: IJob;
  CronJob: ICronJob;
  Service: IService;
  Secret: ISecret;
  Namespace: INamespace;
  Ingress: IIngress;
  NetworkPolicy: INetworkPolicy;
  PodDisruptionBudget: IPodDisruptionBudget;
  HorizontalPodAutoscaler: IHorizontalPodAutoscaler;
  ScaledObject: IScaledObject;
  TriggerAuthentication: ITriggerAuthentication;
};

/** The objects of one kind. */
export function ofKind<K extends keyof Kinds>(
  manifests: readonly Manifest[],
  kind: K,
): (Kinds[K] & Pick<Manifest, 'metadata'>)[] {
  return manifests.filter((manifest) => manifest.kind === kind) as unknown as (Kinds[K] &
    Pick<Manifest, 'metadata'>)[];
}

/** The folders that can be applied. */
export const installations = ['base', 'overlays/development', 'overlays/production'] as const;

/** The installations that include poller and scanner, which ask the market. */
export const followers: readonly string[] = ['overlays/production'];

/** The bound of the first rendering on a machine, which unpacks kubectl. Later ones take a tenth of a second. */
export const renderTimeoutMs = 120_000;

const here = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

/** The objects that `kubectl kustomize` makes of a folder. @throws with the message of kubectl. */
export async function render(folder: string): Promise<Manifest[]> {
  const logFile = `${here}../../.local/logs/kubectl.log`;
  const kubectl = await ensureKubectl({ logFile, report: (line) => process.stderr.write(`${line}\n`) });
  const { stdout } = await run(kubectl, ['kustomize', folder], { cwd: here, maxBuffer: 10_000_000 });
  return parse(stdout);
}

/** Every installation by its name. */
export async function renderAll(): Promise<ReadonlyMap<string, Manifest[]>> {
  const rendered = new Map<string, Manifest[]>();
  for (const name of installations) rendered.set(name, await render(name));
  return rendered;
}

/** The objects in a text of several YAML documents. @throws when the text is not YAML. */
export function parse(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS() as Manifest;
  });
}
