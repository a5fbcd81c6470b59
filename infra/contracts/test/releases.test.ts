import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { breakingChanges } from '../src/breaking-changes.ts';
import { type Contracts, presentContracts } from '../src/present.ts';
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
const event = (events: Open, side: 'sent' | 'read') => at(events, 'signal.*', side);

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

  it('can have one more member in an event, and lose it again', () => {
    const more = changed(({ events }) => {
      Object.assign(at(event(events, 'sent'), 'properties'), { source: { type: 'string' } });
    });
    expect(breakingChanges(presentContracts(), more)).toEqual([]);
    expect(breakingChanges(more, presentContracts())).toEqual([]);
  });

  const rules: readonly (readonly [string, (events: Open) => void, string])[] = [
    [
      'lose a member of an event that consumers of the last release read',
      (events) => {
        without(event(events, 'sent'), 'rev');
        without(event(events, 'read'), 'rev');
      },
      'Event signal.*: field `rev` was removed: consumers of the last release park such events',
    ],
    [
      'send an event of a type that consumers of the last release do not know',
      (events) => {
        for (const side of ['sent', 'read'] as const)
          (at(event(events, side), 'properties', 'type', 'enum') as unknown as string[]).push('signal.gone');
      },
      'Event signal.*: field `type` may be `signal.gone` now: consumers of the last release park such events',
    ],
    [
      'need a member that events of the last release do not have',
      (events) => {
        for (const side of ['sent', 'read'] as const) {
          const schema = event(events, side);
          Object.assign(at(schema, 'properties'), { source: { type: 'string' } });
          (schema.required as unknown as string[]).push('source');
        }
      },
      'Event signal.*: field `source` is new and required: events of the last release are parked',
    ],
    [
      'read less of a member than events of the last release say',
      (events) => {
        for (const side of ['sent', 'read'] as const)
          at(event(events, side), 'properties', 'data', 'properties', 'type').enum = ['new'] as never;
      },
      'Event signal.*: field `data.type` no longer takes `3d`, `7d`, `30d`, `wallet`, `premium`: events of the last release are parked',
    ],
  ];
  it.each(rules)('can not %s, unless the version in the envelope changes', (_name, change, said) => {
    const broken = changed(({ events }) => change(events));
    expect(breakingChanges(presentContracts(), broken)).toContain(said);
    (broken.events['signal.*'] as { version: number }).version = 2;
    expect(breakingChanges(presentContracts(), broken)).toEqual([]);
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

  it('are never written over', () => {
    recordRelease(folder, versioned('1.0.0'));
    expect(() => recordRelease(folder, versioned('1.0.0'))).toThrow('1.0.0 is recorded already');
  });
});
