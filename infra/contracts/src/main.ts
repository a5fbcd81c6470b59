// `check`: exit 1 with a sentence for each thing that the present contracts break of the last release.
// `release`: records the present contracts as a release, when they break nothing or have another major version.
import { fileURLToPath } from 'node:url';
import { breakingChanges } from './breaking-changes.ts';
import { presentContracts, versionOf } from './present.ts';
import { newestRelease, recordRelease } from './releases.ts';

const folder = fileURLToPath(new URL('../../../packages/contracts/released', import.meta.url));

function run(command: string | undefined): number {
  if (command !== 'check' && command !== 'release') {
    process.stderr.write('Say `check` or `release`.\n');
    return 2;
  }
  const present = presentContracts();
  const last = newestRelease(folder);
  const broken = last === undefined ? [] : breakingChanges(last.contracts, present);
  if (last === undefined && command === 'check')
    throw new Error(`${folder} holds no release; \`npx pnpm@12 contracts:release\` records one`);
  if (broken.length > 0) {
    process.stderr.write(
      `${broken.join('\n')}\n\nThe contracts of ${last?.version} are broken. Keep what is above, beside what is new, or change ` +
        'the major version: contractsVersion in packages/contracts/src/version.ts. Events have a version of their own, and a ' +
        'consumer parks those of one that it does not read: the release before the one that sends it has to read both.\n',
    );
    return 1;
  }
  if (command === 'release') process.stdout.write(`${recordRelease(folder, present)}\n`);
  else process.stdout.write(`Contracts ${versionOf(present)}: nothing of ${last?.version} is broken.\n`);
  return 0;
}

try {
  process.exitCode = run(process.argv[2]);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
