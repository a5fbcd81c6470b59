// Writes the generated files of the clients.
import { mkdirSync, writeFileSync } from 'node:fs';
import { generatedFiles } from './index.ts';

for (const [path, text] of Object.entries(generatedFiles())) {
  const file = new URL(`../../../${path}`, import.meta.url);
  mkdirSync(new URL('.', file), { recursive: true });
  writeFileSync(file, text);
  process.stdout.write(`${path}\n`);
}
