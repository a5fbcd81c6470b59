import { parseArgs } from 'node:util';
import { wrongUsage } from './exits.ts';

/** An option of a command. It takes a value if it has a placeholder. */
export type Option = {
  /** The placeholder of the value in the help, such as `<n>`; absent for a flag. */
  readonly value?: string;
  readonly help: string;
};

/** The options and arguments of a command. */
export class Values {
  readonly #options: ReadonlyMap<string, string | true>;
  readonly #positionals: readonly string[];

  constructor(options: ReadonlyMap<string, string | true>, positionals: readonly string[]) {
    this.#options = options;
    this.#positionals = positionals;
  }

  /** Whether an option is given. */
  has(name: string): boolean {
    return this.#options.has(name);
  }

  /** An option's value. */
  text(name: string): string | undefined {
    const value = this.#options.get(name);
    return typeof value === 'string' ? value : undefined;
  }

  /** The given ones of these options, by the API's names for them: `as-of` is `as_of` there. The API checks the values. */
  parameters(...names: readonly string[]): Readonly<Record<string, string>> {
    const given = names.flatMap((name) => {
      const text = this.text(name);
      return text === undefined ? [] : [[name.replaceAll('-', '_'), text]];
    });
    return Object.fromEntries(given) as Record<string, string>;
  }

  /** A number. @throws {CliError} when the value is not a whole number from `least` up. */
  wholeNumber(name: string, least: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^\d{1,9}$/.test(text) || Number(text) < least) {
      throw wrongUsage(`--${name} must be a whole number from ${least}, not "${text}"`);
    }
    return Number(text);
  }

  /** A number. @throws {CliError} when the value is not a number from 0 up. */
  number(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^\d{1,15}(\.\d{1,15})?$/.test(text)) throw wrongUsage(`--${name} must be a number, not "${text}"`);
    return Number(text);
  }

  /** An argument, counted from 0. */
  positional(index: number): string {
    return this.#positionals[index] ?? '';
  }
}

/**
 * Parses the options and arguments of a command.
 * @throws {CliError} naming the option or the argument that is wrong.
 */
export function readValues(
  argv: readonly string[],
  known: Readonly<Record<string, Option>>,
  { positionals = [], tooMany }: { readonly positionals?: readonly string[]; readonly tooMany?: string },
): Values {
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { value }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  // Not strict: the errors below are clearer than those of `parseArgs`.
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const read = new Map<string, string | true>();
  const rest: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') rest.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(known, name) ? known[name] : undefined;
    if (option === undefined) throw wrongUsage(`There is no option ${rawName} here`);
    if (read.has(name)) throw wrongUsage(`${rawName} was given twice; separate several values by commas`);
    if (option.value === undefined) {
      if (inlineValue) throw wrongUsage(`${rawName} takes no value`);
      read.set(name, true);
      continue;
    }
    if (!value || (!inlineValue && value.startsWith('-')))
      throw wrongUsage(`${rawName} needs a value: ${rawName} ${option.value}`);
    read.set(name, value);
  }
  if (rest.length < positionals.length) throw wrongUsage(`${positionals[rest.length]} is missing`);
  if (rest.length > positionals.length) {
    throw wrongUsage(tooMany ?? `"${rest[positionals.length]}" is one argument too many`);
  }
  const wrongAt = rest.findIndex((value) => ['', '.', '..'].includes(value));
  if (wrongAt >= 0) throw wrongUsage(`${positionals[wrongAt]} must be an id, not "${rest[wrongAt]}"`);
  return new Values(read, rest);
}
