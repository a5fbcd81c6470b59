import { readFileSync } from 'node:fs';
import { apiOperations, eventConditionFields, openApiDocument, testPayload } from '@sigcast/contracts';
import { blocking } from './blocking.ts';
import type { ApiDocument } from './document.ts';
import { modelOf } from './model.ts';
import { pythonCalls, pythonTypes } from './python.ts';
import { type SampleCall, samplesOf } from './samples.ts';
import { typescriptCalls, typescriptFields, typescriptTestEvent, typescriptTypes } from './typescript.ts';

export type { SampleCall } from './samples.ts';

const root = new URL('../../../', import.meta.url);
const typescript = 'packages/client/src/generated/';
const python = 'clients/python/src/sigcast/';

const apiDocument = () => openApiDocument('') as unknown as ApiDocument;

/** The generated files of all clients, by their paths from the root, with their contents as of now. */
export function generatedFiles(): Readonly<Record<string, string>> {
  const model = modelOf(apiDocument(), apiOperations);
  const calls = pythonCalls(model);
  const blockingOf = (name: string) => blocking(readFileSync(new URL(`${python}${name}`, root), 'utf8'));
  return {
    [`${typescript}types.ts`]: typescriptTypes(model),
    [`${typescript}calls.ts`]: typescriptCalls(model),
    [`${typescript}test-event.ts`]: typescriptTestEvent(testPayload(new Date(0))),
    [`${typescript}filter-fields.ts`]: typescriptFields(eventConditionFields),
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
