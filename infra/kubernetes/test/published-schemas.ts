import type { Manifest } from './render.ts';

/**
 * Checks an object against the schema that Kubernetes (kubernetes-models, of 1.34) or KEDA publishes for its kind. The
 * schemas allow unknown fields. Here, a field that no schema reads is an error, too: it is misspelt or in the wrong place,
 * and a server would ignore it.
 *
 * @throws with the fields that are wrong.
 */
export async function validate(manifest: Manifest): Promise<void> {
  const { apiVersion, kind, metadata } = manifest;
  const name = `${kind} ${metadata?.name}`;
  const models = apiVersion.startsWith('keda.sh/') ? '@kubernetes-models/keda' : 'kubernetes-models';
  const module = (await import(`${models}/${apiVersion}/${kind}`).catch((cause: unknown) => {
    throw new Error(`${name}: there is no published schema of ${apiVersion} ${kind}`, { cause });
  })) as Record<string, { readonly prototype: { readonly validate: (this: unknown) => void } }>;
  const looked = new Set<string>();
  try {
    module[kind]?.prototype.validate.call(watched(manifest, '', looked));
  } catch (cause) {
    throw new Error(`${name}: ${(cause as Error).message}`, { cause });
  }
  const unknown = [...paths(manifest, '')].filter((path) => !looked.has(path));
  if (unknown.length > 0) throw new Error(`${name}: no such field: ${unknown.join(', ')}`);
}

/** The value, as a proxy that notes the path of every field that is read. */
function watched(value: unknown, path: string, looked: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get: (target, key) => {
      const at = `${path}/${String(key)}`;
      if (Object.hasOwn(target, key)) looked.add(at);
      return watched(Reflect.get(target, key), at, looked);
    },
  });
}

function* paths(value: unknown, path: string): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    yield `${path}/${key}`;
    yield* paths(inner, `${path}/${key}`);
  }
}
