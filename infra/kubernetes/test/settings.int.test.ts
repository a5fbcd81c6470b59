import { readFile } from 'node:fs/promises';
import { programs, settingsOf } from '@sigcast/settings';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Pod, podsOf } from './pods.ts';
import { installations, type Manifest, ofKind, renderAll, renderTimeoutMs } from './render.ts';

let rendered: ReadonlyMap<string, Manifest[]>;
beforeAll(async () => {
  rendered = await renderAll();
}, renderTimeoutMs);

const { services, commands } = programs;
const readOf = (name: string) => {
  const service = services.find((one) => one.name === name);
  if (service) return service.read;
  const [of, what = ''] = name.split('-');
  const wanted = what === 'indexes' ? 'every operator' : `${of} operator`;
  const command = commands.find((one) => one.name.startsWith(wanted));
  if (!command) throw new Error(`infra/settings has no program that runs in ${name}`);
  return command.read;
};

type Source = { readonly from: string; readonly key: string };

/** The files that a pod gets of Secrets and ConfigMaps, each with its source. */
function filesOf({ spec, containers }: Pod): Map<string, Source> {
  const files = new Map<string, Source>();
  for (const { name, mountPath } of containers.flatMap(({ volumeMounts = [] }) => volumeMounts)) {
    const { secret, configMap } = spec.volumes?.find((one) => one.name === name) ?? {};
    const from = secret?.secretName ?? configMap?.name ?? '';
    for (const { key, path } of secret?.items ?? configMap?.items ?? []) {
      files.set(`${mountPath}/${path}`, { from, key });
    }
  }
  return files;
}

const ours = (installation: string) =>
  podsOf(rendered.get(installation) ?? []).filter(({ kind }) => kind !== 'StatefulSet');

describe.each(installations)('%s', (installation) => {
  it('gives every program the settings that it requires, and none that it does not know', () => {
    for (const pod of ours(installation)) {
      const known = settingsOf(readOf(pod.name));
      const given = pod.containers.flatMap(({ env = [] }) => env.map(({ name }) => name));
      const names = given.map((name) => name.replace(/_FILE$/, ''));
      const unknown = names.filter((name) => !known.some((setting) => setting.name === name));
      const required = known.filter((setting) => setting.required).map(({ name }) => name);
      const missing = required.filter((name) => !names.includes(name));
      expect({ of: pod.of, unknown, missing }).toEqual({ of: pod.of, unknown: [], missing: [] });
      expect(names).toEqual([...new Set(names)]);
    }
  });

  it('gives every setting a value that the program accepts', () => {
    for (const pod of ours(installation)) {
      const read = readOf(pod.name);
      const plain = pod.containers
        .flatMap(({ env = [] }) => env)
        .filter(({ name }) => !name.endsWith('_FILE'));
      const problems = plain.flatMap(({ name, value }) => {
        try {
          read(value === undefined ? {} : { [name]: value });
          return [];
        } catch (error) {
          return (error as Error).message.split('\n').filter((line) => line.trim().startsWith(`${name}:`));
        }
      });
      expect({ of: pod.of, problems }).toEqual({ of: pod.of, problems: [] });
    }
  });

  it('gives secrets as files, and only files that a setting names', () => {
    for (const pod of ours(installation)) {
      const files = filesOf(pod);
      const env = pod.containers.flatMap((container) => container.env ?? []);
      const named = env.filter(({ name }) => name.endsWith('_FILE')).map(({ value = '' }) => value);
      expect({ of: pod.of, files: [...files.keys()].sort() }).toEqual({ of: pod.of, files: named.sort() });
      const sensitive = /URI|REDIS_URL|AMQP_URL|SMTP_URL|PRIVATE|SEAL|TOKEN|PASSWORD|SECRET/;
      expect(env.filter(({ name }) => sensitive.test(name) && !name.endsWith('_FILE'))).toEqual([]);
    }
  });

  it('gives the identity’s private key to the gateway alone, the log’s to the tracker alone, and the operator’s to nobody', () => {
    const holders = ours(installation).flatMap((pod) =>
      [...filesOf(pod).values()].filter(({ key }) => /PRIVATE/.test(key)).map(({ key }) => [pod.name, key]),
    );
    const ofLog = installation.endsWith('production') ? [['tracker', 'LOG_PRIVATE_KEYS']] : [];
    expect(holders).toEqual([['gateway', 'IDENTITY_PRIVATE_KEY'], ...ofLog]);
  });
});

it('the README lists the Secrets and ConfigMaps that manifests refer to, with their keys, and no others', async () => {
  const needed = new Set<string>();
  for (const installation of installations) {
    const manifests = rendered.get(installation) ?? [];
    for (const pod of podsOf(manifests)) {
      for (const { from, key } of filesOf(pod).values()) needed.add(`${from} ${key}`);
      for (const { valueFrom } of pod.containers.flatMap(({ env = [] }) => env)) {
        const reference = valueFrom?.secretKeyRef;
        if (reference) needed.add(`${reference.name} ${reference.key}`);
      }
    }
    for (const { spec } of ofKind(manifests, 'TriggerAuthentication')) {
      for (const { name, key } of spec.secretTargetRef ?? []) needed.add(`${name} ${key}`);
    }
  }
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const rows = [...readme.matchAll(/^\| (?:Secret|ConfigMap) `([\w-]+)` +\| (.*?) +\|/gm)];
  const listed = rows.flatMap(([, name, keys = '']) =>
    [...keys.matchAll(/`([\w.-]+)`/g)].map(([, key]) => `${name} ${key}`),
  );
  expect(listed.sort()).toEqual([...needed].sort());
});
