import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensureKubectl } from '@sigcast/local';
import { parseAllDocuments } from 'yaml';

/** A Kubernetes object as a manifest has it. */
export type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: every kind has another one; the published schemas say which is right.
  readonly [field: string]: any;
};

/** The folders that can be applied. */
export const installations = ['base', 'overlays/development', 'overlays/production'] as const;

const here = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

/** What `kubectl kustomize` makes of a folder below infra/kubernetes, or of another one. @throws with its words. */
export async function render(folder: string): Promise<Manifest[]> {
  const logFile = `${here}../../.local/logs/kubectl.log`;
  const kubectl = await ensureKubectl({ logFile, report: (line) => process.stderr.write(`${line}\n`) });
  const { stdout } = await run(kubectl, ['kustomize', folder], { cwd: here, maxBuffer: 10_000_000 });
  return parse(stdout);
}

/** The objects of a file with several, in YAML. @throws when it is none. */
export function parse(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS() as Manifest;
  });
}
