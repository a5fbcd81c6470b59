/** How a language writes values. */
export type Notation = {
  readonly indent: string;
  readonly key: (name: string) => string;
  readonly text: (text: string) => string;
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>;
  /** Whether a space is between the brackets of an object and its members. */
  readonly isSpaced: boolean;
};

const words = { true: 'true', false: 'false', null: 'null' };

export const json: Notation = {
  indent: '  ',
  key: (name) => `${JSON.stringify(name)}: `,
  text: (text) => JSON.stringify(text),
  words,
  isSpaced: true,
};

/** A text that is a variable of the environment, in place of a value. */
const variable = /^\$(\w+)$/;

export const typescript: Notation = {
  indent: '  ',
  key: (name) => (/^[a-z_]\w*$/i.test(name) ? `${name}: ` : `'${name}': `),
  text: (text) =>
    text.replace(variable, "process.env.$1 ?? ''") === text
      ? `'${text.replaceAll("'", "\\'")}'`
      : text.replace(variable, "process.env.$1 ?? ''"),
  words,
  isSpaced: true,
};

export const python: Notation = {
  indent: '    ',
  key: (name) => `${JSON.stringify(name)}: `,
  text: (text) => (variable.test(text) ? text.replace(variable, 'os.environ["$1"]') : quoted(text)),
  words: { true: 'True', false: 'False', null: 'None' },
  isSpaced: false,
};

/** A text with quotes of the kind that it has none of. */
function quoted(text: string): string {
  return text.includes('"') && !text.includes("'") ? `'${text}'` : JSON.stringify(text);
}

/** The columns that a line of a sample has. */
const width = 76;

/** A value in one line where it fits, else with a line for each member. @param before columns that the first line has already. */
export function printValue(value: unknown, notation: Notation, before = 0, indent = ''): string {
  const { key, text } = notation;
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null)
    return notation.words[String(value) as 'null'] ?? String(value);
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(([name, member]) => ({
    label: isList ? '' : key(name),
    member: member as unknown,
  }));
  const [open, close] = isList ? '[]' : '{}';
  return bracketed(members, notation, `${open}`, `${close}`, before, indent);
}

/** Members between brackets, such as those of an object or the arguments of a call. */
export function bracketed(
  members: readonly { readonly label: string; readonly member: unknown }[],
  notation: Notation,
  open: string,
  close: string,
  before = 0,
  indent = '',
): string {
  const pad = open === '{' && notation.isSpaced && members.length > 0 ? ' ' : '';
  const inline = members.map(({ label, member }) => label + printValue(member, notation, -1e9)).join(', ');
  if (before + inline.length + 2 <= width) return open + pad + inline + pad + close;
  const inner = indent + notation.indent;
  const lines = members.map(
    ({ label, member }) =>
      `${inner}${label}${printValue(member, notation, inner.length + label.length + 1, inner)}`,
  );
  const last = notation === json ? '' : ',';
  return `${open}\n${lines.join(',\n')}${last}\n${indent}${close}`;
}
