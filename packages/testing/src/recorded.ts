import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { recordsContracts } from './config.ts';

/**
 * Reads a file in `consumes`, for a test that compares it with the present code. With RECORD_CONTRACTS=1 in the
 * environment, `present` is written to the file first.
 */
export function recorded(file: URL, present: unknown): unknown {
  const path = fileURLToPath(file);
  if (recordsContracts()) {
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(path, `${JSON.stringify(present, null, 2)}\n`);
  }
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** A reader's schema as JSON Schema: required members and their types. */
export function readAs(schema: z.ZodType): unknown {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    ...{ io: 'input', unrepresentable: 'any' },
    override: ({ jsonSchema }) => {
      delete jsonSchema.description;
      // `format` says the same and is readable.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    },
  });
  return JSON.parse(JSON.stringify(rest));
}
