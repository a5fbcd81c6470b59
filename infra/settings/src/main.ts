// Writes docs/settings.md from the code that reads the settings.
import { writeFileSync } from 'node:fs';
import { settingsPage } from './markdown.ts';

const page = new URL('../../../docs/settings.md', import.meta.url);
writeFileSync(page, settingsPage());
process.stdout.write(`${page.pathname}\n`);
