import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { breakingChanges } from '../src/breaking-changes.ts';
import { type Contracts, presentContracts, versionOf } from '../src/present.ts';
import { newestRelease, recordRelease } from '../src/releases.ts';

type Open = { [key: string]: Open };

/** The present contracts with a change. */
function changed(change: (contracts: { api: Open; events: Open }) => void): Contracts {
  const contracts = structuredClone(presentContracts());
  change(contracts as unknown as { api: Open; events: Open });
  return contracts;
}

const at = (from: Open, ...path: string[]): Open =>
  path.reduce<Open>((place, name) => place[name] as Open, from);
const without = (holder: Open, name: string) => {
  delete at(holder, 'properties')[name];
  holder.required = ((holder.required as unknown as string[]) ?? []).filter((one) => one !== name) as never;
};
const token = (api: Open) => at(api, 'components', 'schemas', 'ListedToken');
/** The schema of the sent events, then that of the read ones. */
const schemas = (events: Open) => {
  const { sent, read } = at(events, 'signal.*');
  return [sent as Open, read as Open];
};
/** Changes each of these schemas. */
const everywhere = (events: Open, change: (schema: Open) => void) => schemas(events).forEach(change);

describe('the contracts as they stand', () => {
  it('break nothing of the last release', () => {
    const last = newestRelease(new URL('../../../packages/contracts/released', import.meta.url).pathname);
    expect(breakingChanges(last?.contracts as Contracts, presentContracts())).toEqual([]);
  });

  it('can not lose a field of an answer unless the major version changes', () => {
    const less = changed(({ api }) => without(token(api), 'symbol'));
    expect(breakingChanges(presentContracts(), less)).toContain(
      'Response of GET /v1/signals, 200: field `data[].token.symbol` was removed: clients that read it break',
    );
    (less.api.info as { version: string }).version = '2.0.0';
    expect(breakingChanges(presentContracts(), less)).toEqual([]);
  });

  it.each(['0.9.0', '1.0', 'two'])('can not have %s as their next version', (version) => {
    const present = presentContracts();
    const behind = changed(({ api }) => Object.assign(api.info as object, { version } as object));
    expect(breakingChanges(present, behind)).toEqual([
      `contractsVersion: \`${version}\` is not a version from ${versionOf(present)} on: clients and later comparisons would take it for an older release`,
    ]);
  });

  it('can have one more member in an event, and lose it again', () => {
    const more = changed(({ events }) => {
      Object.assign(at(schemas(events)[0] as Open, 'properties'), { source: { type: 'string' } });
    });
    expect(breakingChanges(presentContracts(), more)).toEqual([]);
    expect(breakingChanges(more, presentContracts())).toEqual([]);
  });

  const rules: readonly (readonly [string, (events: Open) => void, string])[] = [
    [
      'lose a member of an event that a consumer of the last release reads',
      (events) => everywhere(events, (schema) => without(schema, 'rev')),
      'Event signal.*: field `rev` was removed: consumers of the last release park such events',
    ],
    [
      'send an event of a type that a consumer of the last release does not know',
      (events) =>
        everywhere(events, (schema) => {
          const { type } = at(schema, 'properties');
          (type?.enum as unknown as string[] | undefined)?.push('signal.gone');
        }),
      'Event signal.*: field `type` may be `signal.gone` now: consumers of the last release park such events',
    ],
    [
      'need a member that events of the last release do not have',
      (events) =>
        everywhere(events, (schema) => {
          Object.assign(at(schema, 'properties'), { source: { type: 'string' } });
          (schema.required as unknown as string[]).push('source');
        }),
      'Event signal.*: field `source` is new and required: consumers park events of the last release',
    ],
    [
      'read less of a member than events of the last release say',
      (events) =>
        everywhere(events, (schema) => {
          const { type } = at(schema, 'properties', 'data', 'properties');
          if (type !== undefined) type.enum = ['new'] as never;
        }),
      'Event signal.*: field `data.type` no longer takes `3d`, `7d`, `30d`, `wallet`, `premium`: consumers park events of the last release',
    ],
  ];
  it.each(rules)('can not %s, unless the version in the envelope changes', (_name, change, said) => {
    const broken = changed(({ events }) => change(events));
    expect(breakingChanges(presentContracts(), broken)).toContain(said);
    (broken.events['signal.*'] as { version: number }).version = 2;
    expect(breakingChanges(presentContracts(), broken)).toEqual([]);
  });

  it('can not send what a consumer of the same release does not read, whatever the version', () => {
    const more = changed(({ events }) => {
      (events['signal.*'] as unknown as { version: number }).version = 2;
      without(schemas(events)[0] as Open, 'rev');
    });
    expect(breakingChanges(presentContracts(), more)).toContain(
      'Event signal.*: field `rev` was removed: consumers park such events',
    );
  });

  it('can not lose a family of events', () => {
    const less = changed(({ events }) => delete events['account.*']);
    expect(breakingChanges(presentContracts(), less)).toEqual([
      'Event account.*: it was removed: its consumers get nothing',
    ]);
  });
});

describe('recorded releases', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sigcast-releases-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const versioned = (version: string) =>
    changed(({ api }) => Object.assign(api.info as object, { version } as object));

  it('are read back as they were recorded, the one with the greatest version first', () => {
    expect(newestRelease(folder)).toBeUndefined();
    for (const version of ['1.9.0', '1.10.0', '1.2.0']) recordRelease(folder, versioned(version));
    expect(readdirSync(folder)).toHaveLength(3);
    const newest = newestRelease(folder);
    expect(newest?.version).toBe('1.10.0');
    expect(newest?.contracts).toEqual(versioned('1.10.0'));
  });

  it('are never overwritten', () => {
    recordRelease(folder, versioned('1.0.0'));
    expect(() => recordRelease(folder, versioned('1.0.0'))).toThrow('1.0.0 is recorded already');
  });
});
