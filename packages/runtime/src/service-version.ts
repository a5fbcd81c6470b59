import { readFileSync } from 'node:fs';

/**
 * The version of a service, as its package.json says.
 *
 * @param manifest the address of package.json: `new URL('../package.json', import.meta.url)`.
 */
export function serviceVersion(manifest: URL): string {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
  return version;
}
