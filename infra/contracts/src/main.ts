// `check`: exits with 1 and a sentence for each breaking change since the last release.
// `release`: records the present contracts as a release, unless they have a breaking change.
import { fileURLToPath } from 'node:url';
import { breakingChanges } from './breaking-changes.ts';
import { presentContracts, versionOf } from './present.ts';
import { newestRelease, recordRelease } from './releases.ts';

const folder = fileURLToPath(new URL('../../../packages/contracts/released', import.meta.url));

function run(command: string | undefined): number {
  if (command !== 'check' && command !== 'release') {
    process.stderr.write('Usage: node infra/contracts/src/main.ts check|release\n');
    return 2;
  }
  const present = presentContracts();
  const last = newestRelease(folder);
  const broken = last === undefined ? [] : breakingChanges(last.contracts, present);
  if (last === undefined && command === 'check')
    throw new Error(`${folder} holds no release; \`npx pnpm@12 contracts:release\` records one`);
  if (broken.length > 0) {
    process.stderr.write(
      `${broken.join('\n')}\n\nThese changes break the contracts of ${last?.version}. Keep the old parts beside the new ones, or ` +
        'change the major version of the API: contractsVersion in packages/contracts/src/version.ts. The envelope of events ' +
        'has a version of its own. Consumers park events of a version that they do not read, so a release has to read the ' +
        'new version before the next release sends it.\n',
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
