import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { issueDetails } from '@sigcast/http';
import { plainMessage } from '@sigcast/runtime';
import { z } from 'zod';
import { UsageError } from './command.ts';

/** Options and positional arguments by name, checked. @throws {UsageError} naming everything that is wrong. */
export function readOptions<S extends z.ZodRawShape>(
  args: readonly string[],
  spec: { positionals?: readonly string[]; flags?: readonly string[]; shape: S },
): z.infer<z.ZodObject<S>> {
  const { positionals: names = [], flags = [], shape } = spec;
  const options: ParseArgsOptionsConfig = {};
  for (const name of Object.keys(shape)) {
    if (!names.includes(name)) options[name] = { type: flags.includes(name) ? 'boolean' : 'string' };
  }
  const { values, positionals } = parse(args, options);
  if (positionals.length > names.length)
    throw new UsageError(`unexpected argument: ${positionals.slice(names.length).join(' ')}`);
  const named = Object.fromEntries(positionals.map((value, at) => [names[at] ?? '', value]));
  const parsed = z.object(shape).safeParse({ ...values, ...named }, { error: plainMessage });
  if (parsed.success) return parsed.data;
  const given = new Set([...Object.keys(values), ...Object.keys(named)]);
  const problems = parsed.error.issues.flatMap(issueDetails).map(({ field, message }) => {
    const shown = names.includes(field) ? field.toUpperCase() : `--${field}`;
    return given.has(field) ? `${shown} ${message}` : `${shown} is required`;
  });
  throw new UsageError(problems.join('; '));
}

function parse(args: readonly string[], options: ParseArgsOptionsConfig) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0] ?? 'unknown option');
  }
}

/** A whole number within bounds. */
export function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,12}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message));
}
