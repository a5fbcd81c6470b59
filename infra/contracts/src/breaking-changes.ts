import { compareApis } from './compare-api.ts';
import { compareEvents } from './compare-events.ts';
import { type Contracts, versionOf } from './present.ts';
import { isBehind } from './releases.ts';
import { sentence } from './wording.ts';

/**
 * The breaking changes from the released contracts to the present ones, a sentence each. A new major version allows them:
 * of the API for the API, of the envelope for a family of events.
 */
export function breakingChanges(released: Contracts, present: Contracts): string[] {
  const major = (contracts: Contracts) => versionOf(contracts).split('.')[0];
  const found = major(released) === major(present) ? compareApis(released.api, present.api) : [];
  if (isBehind(versionOf(present), versionOf(released)))
    found.push({
      where: 'contractsVersion',
      what: `\`${versionOf(present)}\` is not a version from ${versionOf(released)} on`,
      whom: 'clients and later comparisons would take it for an older release',
    });
  for (const [family, contract] of Object.entries(released.events)) {
    const same = present.events[family];
    if (same === undefined)
      found.push({ where: `Event ${family}`, what: 'it was removed', whom: 'its consumers get nothing' });
    else found.push(...compareEvents(family, contract, same));
  }
  // A change of a shared part is found once for each operation that has the part.
  return [...new Set(found.map(sentence))];
}
