import { readFile, rename, writeFile } from 'node:fs/promises';
import { CliError, exits } from '../exits.ts';

/** What is remembered of a log: the newest checkpoint that was verified, and for each full bundle the root over its entries. */
export type Remembered = {
  readonly key: string;
  /** Whether its user gave the key. Otherwise the log did, when it was first looked at. */
  readonly isKeyGiven: boolean;
  readonly note: string;
  readonly size: number;
  readonly root: string;
  readonly bundles: readonly string[];
};

/** Reads what is remembered; undefined where the file does not exist yet. @throws {CliError} when it is another file. */
export async function recall(file: string): Promise<Remembered | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CliError(exits.usage, `${file} can't be read: ${(error as Error).message}`);
  }
  try {
    const { key, isKeyGiven, note, size, root, bundles } = JSON.parse(text) as Remembered;
    if (
      [key, note, root].every((one) => typeof one === 'string') &&
      typeof isKeyGiven === 'boolean' &&
      Number.isSafeInteger(size) &&
      Array.isArray(bundles)
    )
      return { key, isKeyGiven, note, size, root, bundles };
  } catch {
    // The same problem.
  }
  throw new CliError(exits.usage, `${file} is not a file that "sigcast verify --remember" has written`);
}

/** Writes what is to be remembered, in one step. */
export async function remember(file: string, what: Remembered): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(what)}\n`);
  await rename(`${file}.new`, file);
}
