// Reads what `pnpm -r licenses list --prod --json` prints; exit 1 with a sentence for each licence that is not allowed.
import { text } from 'node:stream/consumers';
import { judgeLicences, type LicenceList } from './licences.ts';

const input = await text(process.stdin);
try {
  const { refused, packages } = judgeLicences(JSON.parse(input) as LicenceList);
  if (packages === 0) throw new Error('no dependency is listed');
  if (refused.length > 0) {
    process.stderr.write(
      `${refused.join('\n')}\ninfra/supply-chain/src/licences.ts lists the allowed ones.\n`,
    );
    process.exitCode = 1;
  } else process.stdout.write(`Licences of ${packages} production dependencies: all are allowed.\n`);
} catch (error) {
  process.stderr.write(
    `The list of licences can't be read: ${(error as Error).message}\n${input.slice(0, 1_000)}\n`,
  );
  process.exitCode = 1;
}
