import { readFileSync } from 'node:fs';
import { openApiDocument } from '@sigcast/contracts';
import { blockingClient } from './blocking.ts';
import type { ApiDocument } from './schema.ts';
import { typesOf } from './types.ts';

const source = (name: string) => new URL(`../src/sigcast/${name}`, import.meta.url);

/** Files of the Python client that are made from others, and what they have to hold. */
export function generatedFiles(): { readonly file: URL; readonly text: string }[] {
  return [
    { file: source('types.py'), text: typesOf(openApiDocument('') as unknown as ApiDocument) },
    { file: source('client.py'), text: blockingClient(readFileSync(source('async_client.py'), 'utf8')) },
  ];
}
