import { readFileSync } from 'node:fs';
import { apiOperations, openApiDocument } from '@sigcast/contracts';
import { blocking } from './blocking.ts';
import { type ApiDocument, exampleOf } from './document.ts';
import { modelOf } from './model.ts';
import { pythonCalls, pythonTypes } from './python.ts';
import { type SampleCall, samplesOf } from './samples.ts';
import { typescriptCalls, typescriptSample, typescriptTypes } from './typescript.ts';

export type { SampleCall } from './samples.ts';

const root = new URL('../../../', import.meta.url);
const typescript = 'packages/client/src/generated/';
const python = 'clients/python/src/sigcast/';

const apiDocument = () => openApiDocument('') as unknown as ApiDocument;

/** The generated files of all clients, by their paths from the root, with their contents as of now. */
export function generatedFiles(): Readonly<Record<string, string>> {
  const document = apiDocument();
  const model = modelOf(document, apiOperations);
  const calls = pythonCalls(model);
  const sample = exampleOf(document.webhooks['webhook.test']?.post?.requestBody);
  const blockingOf = (name: string) => blocking(readFileSync(new URL(`${python}${name}`, root), 'utf8'));
  return {
    [`${typescript}types.ts`]: typescriptTypes(model),
    [`${typescript}calls.ts`]: typescriptCalls(model),
    [`${typescript}sample-event.ts`]: typescriptSample(sample),
    [`${python}generated/types.py`]: pythonTypes(model),
    [`${python}generated/async_calls.py`]: calls,
    [`${python}generated/calls.py`]: blocking(calls),
    [`${python}generated/transport.py`]: blockingOf('async_transport.py'),
    [`${python}generated/client.py`]: blockingOf('async_client.py'),
  };
}

/** Every call that clients have, for their tests. */
export function sampleCalls(): SampleCall[] {
  return samplesOf(modelOf(apiDocument(), apiOperations));
}
