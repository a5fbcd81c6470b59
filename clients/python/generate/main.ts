// Writes the files of the Python client that are made from others.
import { writeFileSync } from 'node:fs';
import { generatedFiles } from './index.ts';

for (const { file, text } of generatedFiles()) {
  writeFileSync(file, text);
  process.stdout.write(`${file.pathname}\n`);
}
