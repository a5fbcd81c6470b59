import { readFile } from 'node:fs/promises';
import { UsageError } from '@sigcast/operator';
import { reasonOf } from '@sigcast/runtime';
import { readRules } from '../config.ts';

/** The rules with the thresholds of a file; the published ones without a file. @throws {UsageError} that says what is wrong. */
export async function rulesOf(file: string | undefined): Promise<ReturnType<typeof readRules>> {
  if (file === undefined) return readRules({ SCANNER_RULES: undefined });
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--rules ${file} can't be read: ${reasonOf(error)}`);
  });
  try {
    return readRules({ SCANNER_RULES: text });
  } catch (error) {
    throw new UsageError(`--rules ${file} ${(error as Error).message}`);
  }
}
