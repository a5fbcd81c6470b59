import { readFileSync } from 'node:fs';
import { openApiDocument } from '@sigcast/contracts';
import { blockingClient } from './blocking.ts';
import type { ApiDocument } from './schema.ts';
import { typesOf } from './types.ts';

const source = (name: string) => new URL(`../src/sigcast/${name}`, import.meta.url);

/** The generated files of the Python client, with their contents as of now. */
export function generatedFiles(): { readonly file: URL; readonly text: string }[] {
  return [
    { file: source('types.py'), text: typesOf(openApiDocument('') as unknown as ApiDocument) },
    { file: source('client.py'), text: blockingClient(readFileSync(source('async_client.py'), 'utf8')) },
  ];
}
