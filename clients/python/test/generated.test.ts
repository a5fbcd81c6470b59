import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blockingClient } from '../generate/blocking.ts';
import { generatedFiles } from '../generate/index.ts';
import type { ApiDocument, Schema } from '../generate/schema.ts';
import { typesOf } from '../generate/types.ts';

const files = generatedFiles().map(({ file, text }) => ({ name: basename(file.pathname), file, text }));

/** A document with one answer, whose `data` has a schema, and with everything else that the generator expects. */
function documentWith(schema: Schema): ApiDocument {
  const values: Schema = { type: 'string', enum: ['a', 'b'] };
  const object: Schema = { type: 'object', properties: {} };
  const parameters = ['period', 'interval', 'status', 'include', 'resolution'].map((name) => ({
    name,
    schema: values,
  }));
  const include = { name: 'include', schema: { type: 'string', 'x-values': ['a', 'b'] } };
  const answer = { schema: { $ref: '#/components/schemas/ThingAnswer' } };
  const operations = {
    get: {
      parameters: [include, ...parameters],
      responses: { 200: { content: { 'application/json': answer } } },
    },
  };
  const paths = [
    ...['/v1/signals', '/v1/signals/{signal_id}/history', '/v1/stats', '/v1/stats/series'],
    '/v1/webhooks/{webhook_id}/deliveries',
  ];
  const schemas = {
    Thing: schema,
    ThingAnswer: { type: 'object', properties: { data: { $ref: '#/components/schemas/Thing' } } },
    Webhook: { type: 'object', properties: { status: values } },
    ...{ ApiError: object, WebhookPayload: object, WebhookStatePayload: object },
  };
  return { paths: Object.fromEntries(paths.map((path) => [path, operations])), components: { schemas } };
}

describe('the generated half of the Python client', () => {
  it.each(files)('$name is up to date; `npx pnpm@12 client:python` writes it', ({ file, text }) => {
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('has a client that blocks, in which nothing is awaited', () => {
    const awaited = `"""By hand."""
async def read(http: httpx.AsyncClient) -> AsyncGenerator[Event, None]:
    async with asynccontextmanager(http) as chunks:
        async for chunk in chunks.aiter_bytes():
            yield await AsyncThing(chunk).aclose()
    await anext(connection.enter_async_context(chunks), None)
`;
    expect(
      blockingClient(awaited).split('\n').slice(1).join('\n'),
    ).toBe(`def read(http: httpx.Client) -> Generator[Event, None, None]:
    with contextmanager(http) as chunks:
        for chunk in chunks.iter_bytes():
            yield Thing(chunk).close()
    next(connection.enter_context(chunks), None)
`);
    const blocking = files.find(({ name }) => name === 'client.py')?.text;
    expect(blocking).not.toMatch(/\b(async|await|Async\w+)\b/);
  });

  it('has a type for every kind of value in the API document', () => {
    const text = typesOf(
      documentWith({
        type: 'object',
        required: ['count', 'share', 'parts', 'by_kind', 'error'],
        properties: {
          count: { type: 'integer', description: 'How many.' },
          share: { type: ['number', 'null'] },
          parts: {
            type: 'array',
            items: { type: 'object', required: ['on'], properties: { on: { type: 'boolean' } } },
          },
          by_kind: {
            type: 'object',
            propertyNames: { enum: ['a', 'b'] },
            additionalProperties: { const: true },
          },
          error: { anyOf: [{ type: 'string', enum: ['x', 'y'] }, { type: 'null' }] },
          later: { type: 'string' },
        },
      }),
    );
    expect(text).toContain(`class Thing(TypedDict):
    count: int
    """How many."""
    share: float | None
    parts: list[ThingParts]
    by_kind: dict[WebhookStatus, Literal[True]]
    error: Literal["x", "y"] | None
    later: NotRequired[str]
`);
    expect(text).toContain('class ThingParts(TypedDict):\n    on: bool\n');
  });

  it('can’t be generated from a type that is unknown in Python, and the error names the type', () => {
    const unknown = { type: 'object', properties: { odd: { type: 'file' } } };
    expect(() => typesOf(documentWith(unknown))).toThrow('file');
  });
});
