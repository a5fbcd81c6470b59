import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file in one step: a process that is killed meanwhile leaves the old file. Only its owner may read it. */
export function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
