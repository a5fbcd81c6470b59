// Writes the generated files of the Python client.
import { writeFileSync } from 'node:fs';
import { generatedFiles } from './index.ts';

for (const { file, text } of generatedFiles()) {
  writeFileSync(file, text);
  process.stdout.write(`${file.pathname}\n`);
}
