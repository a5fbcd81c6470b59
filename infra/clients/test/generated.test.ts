import { readFileSync } from 'node:fs';
import { apiOperations } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { blocking } from '../src/blocking.ts';
import type { ApiDocument, Schema } from '../src/document.ts';
import { generatedFiles, sampleCalls } from '../src/index.ts';
import { modelOf } from '../src/model.ts';
import { pythonCalls, pythonTypes } from '../src/python.ts';
import { typescriptCalls, typescriptTypes } from '../src/typescript.ts';

const files = generatedFiles();

/** A model with one call, whose answer has a schema. */
function modelWith(thing: Schema, parameter: Schema = { type: 'string' }) {
  const answer = { type: 'object', properties: { data: { $ref: 'Thing' } } };
  const content = { content: { 'application/json': { schema: { $ref: 'ThingAnswer' } } } };
  const operation = {
    ...{ tags: ['Things'], summary: 'Fetch a thing', description: 'How it is now.' },
    parameters: [
      { name: 'from', in: 'query', description: 'Of these', schema: parameter },
      { name: 'old', in: 'query', deprecated: true, schema: parameter },
    ],
    responses: { 200: content },
  };
  const schemas = { Thing: thing, ThingAnswer: answer, ApiError: { type: 'object', properties: {} } };
  const document: ApiDocument = {
    paths: { '/v1/things/{thing_id}': { get: operation } },
    webhooks: {},
    tags: [{ name: 'Things', description: 'All things.' }],
    components: { schemas: { Kind: { enum: ['a', 'b'] }, ...schemas } },
  };
  const named = {
    method: 'get',
    path: '/v1/things/{thing_id}',
    id: 'getThing',
    call: 'things.getOne',
  } as const;
  return modelOf(document, [{ ...named, errors: ['NOT_FOUND'] }]);
}

const object = (
  properties: Readonly<Record<string, Schema>>,
  required = Object.keys(properties),
): Schema => ({
  type: 'object',
  properties,
  required,
});

describe('the clients', () => {
  it.each(Object.keys(files))('%s is up to date; `npx pnpm@12 clients:generate` writes it', (path) => {
    expect(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')).toBe(files[path]);
  });

  it('have a call for every operation under /v1 that answers with JSON', () => {
    const called = sampleCalls().map(({ method, path }) => `${method} ${path}`);
    const answering = apiOperations.filter((operation) => !('stream' in operation));
    expect(called.sort()).toEqual(
      answering.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort(),
    );
  });

  it('have a type for every kind of value in the API document', () => {
    const model = modelWith(
      object(
        {
          count: { type: 'integer', description: 'How many' },
          share: { type: ['number', 'null'] },
          parts: { type: 'array', items: object({ on: { type: 'boolean' } }) },
          by_kind: {
            type: 'object',
            propertyNames: { enum: ['a', 'b'] },
            additionalProperties: { const: true },
          },
          error: { anyOf: [{ type: 'string', enum: ['x', 'y'] }, { type: 'null' }] },
          later: { type: 'string' },
        },
        ['count', 'share', 'parts', 'by_kind', 'error'],
      ),
    );
    expect(pythonTypes(model)).toContain(`class Thing(TypedDict):
    count: int
    """How many."""
    share: float | None
    parts: list[ThingParts]
    by_kind: dict[Kind, Literal[True]]
    error: Literal["x", "y"] | None
    later: NotRequired[str]
`);
    expect(pythonTypes(model)).toContain('class ThingParts(TypedDict):\n    on: bool\n');
    expect(typescriptTypes(model)).toContain(`export type Thing = {
  /** How many. */
  readonly count: number;
  readonly share: number | null;
  readonly parts: readonly ThingParts[];
  readonly by_kind: { readonly [Key in Kind]?: true };
  readonly error: 'x' | 'y' | null;
  readonly later?: string | undefined;
};`);
  });

  it('say in an editor what a call does, what its parameters mean and which errors it has', () => {
    const model = modelWith(object({}), { type: 'string', 'x-values': ['a', 'b'] });
    expect(typescriptTypes(model)).toContain(
      '  /** Of these. */\n  readonly from?: OneOrMore<Kind> | undefined;',
    );
    expect(typescriptCalls(model)).toContain(`  /**
   * Fetch a thing.
   *
   * How it is now.
   * @throws {SigcastError} \`NOT_FOUND\`: The path or the resource does not exist, or belongs to another account.
   */
  getOne(
    thingId: string,
    query: GetThingQuery = {},
    options?: CallOptions,
  ): Promise<Answer<Thing>> {`);
    expect(pythonCalls(model)).toContain(`    async def get_one(
        self,
        thing_id: str,
        *,
        from_: OneOrMore[Kind] | None = None,
    ) -> Answer[Thing]:
        """Fetch a thing.

        How it is now.

        Args:
            from_: Of these.

        Raises:
            SigcastError: \`NOT_FOUND\`: The path or the resource does not exist, or belongs to another account.
        """
        return await self._transport.send(Call("GET", f"/v1/things/{segment(thing_id)}" + query_string({"from": from_})))
`);
  });

  it('can’t be generated from a type that they don’t know, and the error names the type', () => {
    expect(() => modelWith(object({ odd: { type: 'file' } }))).toThrow('file');
  });

  it('for Python block where nothing is awaited', () => {
    const awaited = `"""By hand."""
from .answer import Answer
from .async_transport import AsyncTransport
from .generated.async_calls import AsyncGroups
async def read(http: httpx.AsyncClient) -> AsyncGenerator[Event, None]:
    async with asynccontextmanager(http) as chunks:
        async for chunk in chunks.aiter_bytes():
            yield await AsyncThing(chunk).aclose()
    await anext(connection.enter_async_context(chunks), None)
`;
    expect(blocking(awaited).split('\n').slice(1).join('\n')).toBe(`from ..answer import Answer
from .transport import Transport
from .calls import Groups
def read(http: httpx.Client) -> Generator[Event, None, None]:
    with contextmanager(http) as chunks:
        for chunk in chunks.iter_bytes():
            yield Thing(chunk).close()
    next(connection.enter_context(chunks), None)
`);
    for (const [path, text] of Object.entries(files)) {
      if (/\/(client|calls|transport)\.py$/.test(path))
        expect(text).not.toMatch(/\b(async|await|Async\w+)\b/);
    }
  });
});
