import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { recordsContracts } from './config.ts';

/**
 * What a file in `consumes` says, for a test that compares it with what the code does now. With RECORD_CONTRACTS=1 in the
 * environment, what the code does is recorded first.
 */
export function recorded(file: URL, present: unknown): unknown {
  const path = fileURLToPath(file);
  if (recordsContracts()) {
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(path, `${JSON.stringify(present, null, 2)}\n`);
  }
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** A schema that something is read by, as JSON Schema: what has to be there, and of what kind. */
export function readAs(schema: z.ZodType): unknown {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    ...{ io: 'input', unrepresentable: 'any' },
    override: ({ jsonSchema }) => {
      delete jsonSchema.description;
      // The format says it, and can be read.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    },
  });
  return JSON.parse(JSON.stringify(rest));
}
