import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file that only its owner may read, whole or not at all: a run killed half-way leaves the old one. */
export function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
