import { compareApis } from '../src/compare-api.ts';
import type { Schema } from '../src/schema.ts';
import { sentence } from '../src/wording.ts';

/** A small API with one of each thing that can be broken. Tests change copies of it. */
function sampleApi() {
  return structuredClone({
    openapi: '3.1.1',
    info: { title: 'Sample', version: '1.2.0' },
    paths: {
      '/things': {
        get: {
          operationId: 'listThings',
          security: [{ key: [] }, { token: [] }] as Schema[],
          parameters: [
            parameter('limit', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
            parameter('kind', { type: 'array', items: { type: 'string', enum: ['big', 'small'] } }),
            { $ref: '#/components/parameters/If-None-Match' },
          ] as Schema[],
          responses: {
            200: {
              description: 'Things.',
              headers: { ETag: { schema: { type: 'string' } } } as Schema,
              content: {
                'application/json': { schema: { $ref: '#/components/schemas/ThingList' } },
              } as Schema,
            },
            304: { description: 'The same.' },
            404: { $ref: '#/components/responses/NotFound' },
          } as Record<string, Schema>,
        } as Schema & { security: Schema[]; parameters: Schema[]; responses: Record<string, Schema> },
        post: {
          operationId: 'makeThing',
          requestBody: {
            required: false,
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/NewThing' } },
              'text/csv': { schema: { type: 'string' } },
            } as Schema,
          },
          responses: { 201: { description: 'Made.' } } as Record<string, Schema>,
        },
      } as Schema,
    } as Record<string, Schema>,
    webhooks: {
      'thing.new': {
        post: {
          parameters: [{ name: 'webhook-id', in: 'header', schema: { type: 'string' } }] as Schema[],
          requestBody: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          responses: { 200: { description: 'Received.' } } as Record<string, Schema>,
        },
      },
    } as Record<string, Schema>,
    components: {
      parameters: { 'If-None-Match': { name: 'If-None-Match', in: 'header', schema: { type: 'string' } } },
      responses: { NotFound: { description: 'None.' } },
      schemas: {
        Thing: {
          type: 'object',
          properties: {
            id: { type: 'string', pattern: '^t_' },
            kind: { type: 'string', enum: ['big', 'small'] },
            size: { type: 'integer', minimum: 0 },
            made_by: { anyOf: [{ type: 'string' }, { type: 'null' }] as Schema[] },
            parts: {
              type: 'object',
              propertyNames: { type: 'string' },
              additionalProperties: { type: 'number' },
            },
          } as Record<string, Schema> & { made_by?: { anyOf: Schema[] } },
          required: ['id', 'kind', 'size'],
        },
        ThingList: {
          type: 'object',
          properties: {
            success: { type: 'boolean', const: true },
            data: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
          } as Record<string, Schema>,
          required: ['success', 'data'],
        },
        NewThing: {
          type: 'object',
          properties: {
            name: { type: 'string', minLength: 1, maxLength: 40 },
            kind: { type: 'string', enum: ['big', 'small'] },
            note: { type: ['string', 'null'] },
            size: { type: 'number' },
          } as Record<string, Schema>,
          required: ['name'],
          additionalProperties: false,
        },
      },
    },
  });
}

type SampleApi = ReturnType<typeof sampleApi>;

/** The parts of the sample that tests change. */
function partsOf(api: SampleApi) {
  const things = api.paths['/things'] as unknown as {
    get: { operationId: string; security: Schema[]; parameters: Schema[]; responses: Record<string, Schema> };
    post: { requestBody: { required: boolean; content: Record<string, Schema> } };
  };
  const webhook = api.webhooks['thing.new'] as unknown as {
    post: { parameters: Schema[]; responses: Record<string, Schema> };
  };
  const { Thing: thing, ThingList: list, NewThing: body } = api.components.schemas;
  return { list: things.get, make: things.post, webhook: webhook.post, thing, things: list, body };
}

export type Change = (parts: ReturnType<typeof partsOf>, api: SampleApi) => void;

/** The breaking changes, a sentence each, when `change` is made to a sample on which `prepare` was done. */
export function broken(change: Change, prepare: Change = () => undefined): string[] {
  const [released, present] = [sampleApi(), sampleApi()];
  prepare(partsOf(released), released);
  prepare(partsOf(present), present);
  change(partsOf(present), present);
  return compareApis(released as unknown as Schema, present as unknown as Schema).map(sentence);
}

function parameter(name: string, schema: Schema): Schema {
  return { name, in: 'query', schema };
}
