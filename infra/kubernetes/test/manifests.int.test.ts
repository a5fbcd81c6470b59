import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Pod, podsOf, selects } from './pods.ts';
import { validate } from './published-schemas.ts';
import {
  followers,
  installations,
  type Manifest,
  ofKind,
  parse,
  render,
  renderAll,
  renderTimeoutMs,
} from './render.ts';

let rendered: ReadonlyMap<string, Manifest[]>;
beforeAll(async () => {
  rendered = await renderAll();
}, renderTimeoutMs);

const of = (installation: string) => rendered.get(installation) ?? [];

describe.each(installations)('%s', (installation) => {
  const manifests = () => of(installation);
  const pods = () => podsOf(manifests());
  /** A value of every pod, by the kind and name of the object that makes the pod. */
  const ofEach = <T>(look: (pod: Pod) => T) => Object.fromEntries(pods().map((pod) => [pod.of, look(pod)]));
  const always = <T>(value: T) => ofEach(() => value);

  it('has only objects and fields that the schemas of Kubernetes and KEDA have', async () => {
    expect(manifests().length).toBeGreaterThan(30);
    for (const manifest of manifests()) await validate(manifest);
  });

  it('uses only stable APIs, and KEDA’s', () => {
    const versions = manifests().map(({ apiVersion }) => apiVersion);
    expect(versions.filter((one) => !/^([\w.]+\/)?v\d+$/.test(one) && one !== 'keda.sh/v1alpha1')).toEqual(
      [],
    );
  });

  it('names no object twice', () => {
    const names = manifests().map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual([...new Set(names)]);
  });

  it('runs every container as another user than root, with a read-only file system and no capability', () => {
    expect(
      ofEach(({ spec, containers }) => ({
        user: spec.securityContext,
        containers: containers.map(({ securityContext }) => securityContext),
      })),
    ).toEqual(
      always({
        user: expect.objectContaining({
          runAsNonRoot: true,
          runAsUser: expect.any(Number),
          seccompProfile: { type: 'RuntimeDefault' },
        }),
        containers: [
          {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        ],
      }),
    );
    const [namespace] = ofKind(manifests(), 'Namespace');
    expect(namespace?.metadata.labels?.['pod-security.kubernetes.io/enforce']).toBe('restricted');
  });

  it('gives no container the cluster’s token, a path of the node or its network', () => {
    expect(
      ofEach(({ spec }) => [
        spec.automountServiceAccountToken,
        ...[spec.hostNetwork, spec.hostPID, spec.hostIPC],
        (spec.volumes ?? []).filter((volume: object) => 'hostPath' in volume),
      ]),
    ).toEqual(always([false, undefined, undefined, undefined, []]));
  });

  it('bounds the memory of every container and asks for what it needs', () => {
    const needed = { requests: { cpu: expect.any(String), memory: expect.any(String) } };
    expect(ofEach(({ containers }) => containers.map(({ resources }) => resources))).toEqual(
      always([{ ...needed, limits: { memory: expect.any(String) } }]),
    );
  });

  it('probes every server, replaces it without a gap and lets one replica at a time be evicted', () => {
    expect(ofKind(manifests(), 'Deployment').map(({ metadata }) => metadata.name)).toEqual([
      'gateway',
      ...(followers.includes(installation) ? ['scanner'] : []),
      ...['signals', 'stats', 'tracker'],
      ...(followers.includes(installation) ? ['tracker-poller'] : []),
      ...['webhooks-api', 'webhooks-worker'],
    ]);
    for (const { metadata, spec } of ofKind(manifests(), 'Deployment')) {
      // Clients reach the gateway's port, so its probes are at the port of its metrics.
      const port = metadata.name === 'gateway' ? 'metrics' : 'http';
      expect({ server: metadata.name, ...spec }).toMatchObject({
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } },
        template: {
          spec: {
            terminationGracePeriodSeconds: 30,
            containers: [
              {
                readinessProbe: { httpGet: { path: '/readyz', port } },
                livenessProbe: { httpGet: { path: '/healthz', port } },
                startupProbe: { httpGet: { path: '/healthz', port } },
              },
            ],
          },
        },
      });
      const budgets = ofKind(manifests(), 'PodDisruptionBudget').filter((budget) =>
        selects(budget.spec?.selector, spec?.template.metadata?.labels ?? {}),
      );
      expect(budgets.map((budget) => budget.spec?.maxUnavailable)).toEqual([1]);
    }
  });

  it('selects exactly its own pods by each Deployment, Service and budget', () => {
    const selectors = [
      ...ofKind(manifests(), 'Deployment').map((one) => ({ ...one, selector: one.spec?.selector })),
      ...ofKind(manifests(), 'StatefulSet').map((one) => ({ ...one, selector: one.spec?.selector })),
      ...ofKind(manifests(), 'PodDisruptionBudget').map((one) => ({ ...one, selector: one.spec?.selector })),
      ...ofKind(manifests(), 'Service').map((one) => ({
        ...one,
        selector: { matchLabels: one.spec?.selector ?? {} },
      })),
    ];
    for (const { kind, metadata, selector } of selectors) {
      const selected = pods().filter(({ labels }) => selects(selector, labels));
      expect([kind, ...selected.map(({ name }) => name)]).toEqual([kind, metadata.name]);
    }
  });

  it('has no Secret, no address with a password and no private key in its manifests', () => {
    const text = JSON.stringify(manifests());
    expect(text).not.toMatch(/:\/\/[^/"]*@/);
    expect(text).not.toMatch(/PRIVATE KEY/);
    expect(ofKind(manifests(), 'Secret')).toEqual([]);
  });
});

it('only installations that include the poller name a market', () => {
  const naming = installations.filter((one) => JSON.stringify(of(one)).includes('MARKET_URL'));
  expect(naming).toEqual(followers);
});

describe('production', () => {
  it('bounds the replicas of every server', () => {
    const production = of('overlays/production');
    const bounds = [
      ...ofKind(production, 'HorizontalPodAutoscaler').map(({ spec }) => ({
        of: spec?.scaleTargetRef.name,
        least: spec?.minReplicas,
        most: spec?.maxReplicas,
      })),
      ...ofKind(production, 'ScaledObject').map(({ spec }) => ({
        of: spec.scaleTargetRef?.name,
        least: spec.minReplicaCount,
        most: spec.maxReplicaCount,
      })),
    ];
    const servers = ofKind(production, 'Deployment');
    expect(bounds.map((one) => one.of).sort()).toEqual(servers.map(({ metadata }) => metadata.name));
    for (const { least, most } of bounds) {
      expect(least).toBe(2);
      expect(most).toBeLessThanOrEqual(8);
    }
    // A number in the Deployment would overwrite that of the autoscaler at each apply.
    expect(servers.map(({ spec }) => spec?.replicas)).toEqual(servers.map(() => undefined));
  });

  it('scales the worker by its queues and by the metric that the worker shows', async () => {
    const [scaled] = ofKind(of('overlays/production'), 'ScaledObject');
    const [events, bulkEvents, due] = scaled?.spec.triggers ?? [];
    const { eventTopology } = await import('../../../packages/contracts/src/index.ts');
    const { fanout, bulkFanout } = eventTopology();
    expect(events).toMatchObject({ type: 'rabbitmq', metadata: { queueName: fanout.queue } });
    expect(bulkEvents).toMatchObject({ type: 'rabbitmq', metadata: { queueName: bulkFanout.queue } });
    expect(due).toMatchObject({ type: 'prometheus' });
    const metrics = await readFile(
      new URL('../../../services/webhooks/src/metrics.ts', import.meta.url),
      'utf8',
    );
    const [name] = /sigcast_webhooks_\w+/.exec(due?.metadata.query ?? '') ?? [];
    expect(metrics).toContain(`'${name}'`);
  });
});

describe('a broken manifest', () => {
  const file = fileURLToPath(new URL('../base/signals.yaml', import.meta.url));
  let copy: string;
  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'sigcast-kubernetes-'));
  });
  afterAll(() => rm(copy, { recursive: true }));

  const deployment = async (from: string, to: string) => {
    const text = await readFile(file, 'utf8');
    expect(text).toContain(from);
    const [first] = parse(text.replace(from, to));
    if (first === undefined) throw new Error('there is no manifest');
    return first;
  };

  it.each([
    ['a misspelt field', 'selector:', 'selectors:', /must have required property selector/],
    ['a misspelt optional field', 'volumeMounts:', 'volumeMount:', /no such field: .*\/volumeMount,/],
    ['a value of the wrong type', 'cpu: 250m', 'cpu: [250m]', /resources\/requests\/cpu/],
    ['an unknown kind', 'kind: Deployment', 'kind: Deploiment', /no published schema of apps\/v1 Deploiment/],
  ])('is refused for %s', async (_what, from, to, message) => {
    await expect(validate(await deployment(from, to))).rejects.toThrow(message);
  });

  it('does not build when a patch matches no object', async () => {
    await cp(fileURLToPath(new URL('..', import.meta.url)), copy, {
      recursive: true,
      filter: (source) => !source.includes('node_modules'),
    });
    const host = join(copy, 'overlays/production/host.yaml');
    const text = await readFile(host, 'utf8');
    await writeFile(host, text.replace('name: gateway\nspec', 'name: gatway\nspec'));
    await expect(render(join(copy, 'overlays/production'))).rejects.toThrow(/gatway/);
  });
});
