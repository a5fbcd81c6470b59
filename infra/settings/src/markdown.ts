import { type Program, programs } from './programs.ts';
import { type Setting, settingsOf } from './settings-of.ts';

const columns = ['setting', 'default', 'value', 'what it is'];

const head = `# Settings

Environment variables of every program. \`npx pnpm@12 docs:settings\` writes this page from the code that reads them.

- An empty variable counts as absent. A program with a wrong or missing setting ends at once with exit code 78 and names
  every one that is wrong.
- Every \`X\` may be given as \`X_FILE\`, the path of a file with the value. A file is read once, at the start.
`;

/** The page with the settings of every program. */
export function settingsPage(): string {
  return [
    head,
    ...programs.services.map(section),
    '## Operator commands\n\nThey read only what is named here.\n',
    ...programs.commands.map((program) => `#${section(program)}`),
  ].join('\n');
}

function section(program: Program): string {
  const rows = settingsOf(program.read).map(row);
  return [`## ${program.name}\n\n${program.about}\n`, ...table([columns, ...rows]), ''].join('\n');
}

function row({ name, required, fallback, values, description }: Setting): readonly string[] {
  const standard = required ? '**required**' : fallback === undefined ? '–' : `\`${fallback}\``;
  const cells = [`\`${name}\``, standard, values ?? 'text', description];
  return cells.map((cell) => cell.replaceAll('|', '\\|'));
}

/** With columns as wide as their widest cell, as the formatter wants them. */
function table([titles = [], ...rows]: readonly (readonly string[])[]): string[] {
  const widths = titles.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}
