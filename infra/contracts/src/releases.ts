import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Contracts, versionOf } from './present.ts';
import type { Schema } from './schema.ts';

type Release = { readonly version: string; readonly contracts: Contracts };

const files = { api: 'openapi.json', events: 'events.json' } as const;

/** The recorded release with the greatest version. `folder` has a folder for each release. */
export function newestRelease(folder: string): Release | undefined {
  const versions = existsSync(folder) ? readdirSync(folder).filter(isVersion) : [];
  const version = versions.sort(byVersion).at(-1);
  if (version === undefined) return undefined;
  const read = (name: string) => JSON.parse(readFileSync(join(folder, version, name), 'utf8')) as unknown;
  return {
    version,
    contracts: {
      api: read(files.api) as Schema,
      events: read(files.events) as Contracts['events'],
    },
  };
}

/** Writes the files of a release. @returns their folder. @throws when the version is recorded already. */
export function recordRelease(folder: string, contracts: Contracts): string {
  const place = join(folder, versionOf(contracts));
  if (existsSync(place))
    throw new Error(
      `${versionOf(contracts)} is recorded already. Raise contractsVersion in packages/contracts/src/version.ts: ` +
        'the minor version when something was added, the major one when something breaks',
    );
  mkdirSync(place, { recursive: true });
  for (const [part, name] of Object.entries(files)) {
    const text = JSON.stringify(contracts[part as keyof typeof files], null, 1);
    writeFileSync(join(place, name), `${text}\n`);
  }
  return place;
}

/** Whether a version is lower than another one, or no version at all (semver.org, without a suffix). */
export function isBehind(version: string, other: string): boolean {
  return !isVersion(version) || byVersion(version, other) < 0;
}

function isVersion(name: string): boolean {
  return /^\d+\.\d+\.\d+$/.test(name);
}

/** Orders versions by their numbers: 1.9.0 is lower than 1.10.0. */
function byVersion(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
