import { z } from 'zod';
import { sampleOf } from '../sample.ts';
import { accountParameters } from './account-operations.ts';
import { apiParameters } from './api-operations.ts';
import type { JsonObject, Operation, PathParameters } from './operation.ts';

const paths: PathParameters = { ...apiParameters, ...accountParameters };

const conditional: JsonObject = {
  name: 'If-None-Match',
  in: 'header',
  description: 'An `ETag` from before; the answer is 304 while nothing has changed.',
  schema: { type: 'string' },
};
const idempotent: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'For 24 hours, the same key with the same body gives the first answer again and creates nothing; with another ' +
    'body it is a conflict.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
};

const resumable: JsonObject = {
  name: 'Last-Event-ID',
  in: 'header',
  description:
    'The last `id` of an earlier stream: this one continues right after it. Browsers send it by themselves when they ' +
    'connect again. Without it: from now on.',
  schema: { type: 'string' },
};

/** Shared parameters, by their name in `components.parameters`. */
export const parameterComponents: JsonObject = {
  ...Object.fromEntries(
    Object.entries(paths).map(([name, { schema, description }]) => [
      name,
      {
        name,
        in: 'path',
        required: true,
        description,
        schema: jsonSchema(schema),
        example: sampleOf(schema),
      },
    ]),
  ),
  'If-None-Match': conditional,
  'Idempotency-Key': idempotent,
  'Last-Event-ID': resumable,
};

/** The parameter of requests for the past. Its other parameters are those of the present, or refused. */
export const asOfName = 'as_of';

/** The names of the parameters in an operation's path. */
export function pathParametersOf({ path }: Operation): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** The query parameters of an operation, of the present and of the past. */
export function queryParametersOf({ query, past }: Operation): JsonObject[] {
  return [
    ...(query === undefined ? [] : queryParameters(query)),
    ...(past === undefined ? [] : queryParameters(past.query).filter(({ name }) => name === asOfName)),
  ];
}

/** Path, query and header parameters of one operation. */
export function parametersOf(operation: Operation): JsonObject[] {
  const { conditional = false, idempotent = false, stream } = operation;
  return [
    ...pathParametersOf(operation).map(parameterRef),
    ...queryParametersOf(operation),
    ...(conditional ? [parameterRef('If-None-Match')] : []),
    ...(idempotent ? [parameterRef('Idempotency-Key')] : []),
    ...(stream === undefined ? [] : [parameterRef('Last-Event-ID')]),
  ];
}

/** The documented type of query parameters, which are texts in the URL: numbers, and lists separated by commas. */
function queryParameters(query: z.ZodType): JsonObject[] {
  const { properties = {}, $defs = {} } = jsonSchema(query) as Readonly<
    Record<'properties' | '$defs', Record<string, JsonObject> | undefined>
  >;
  const resolved = ({ $ref, ...rest }: JsonObject): JsonObject =>
    $ref === undefined ? rest : { ...$defs[String($ref).slice('#/$defs/'.length)], ...rest };
  return Object.entries(properties).map(([name, property]) => {
    const {
      description,
      deprecated,
      id: _id,
      example: _example,
      absent: _absent,
      ...schema
    } = resolved(property);
    return {
      name,
      in: 'query',
      ...(description !== undefined && { description }),
      ...(deprecated === true && { deprecated }),
      schema: schema.type === 'array' ? commaSeparated(schema) : schema,
    };
  });
}

/**
 * The type of a list separated by commas: one text. Most generators send an array as a repeated parameter, whatever its `style`
 * and `explode` say, and a repeated parameter is refused. `x-values` lists the values for our own generators.
 */
function commaSeparated({ items }: JsonObject): JsonObject {
  const values = (items as { readonly enum: readonly string[] }).enum;
  const value = `(${values.join('|').replaceAll('.', '\\.')})`;
  return {
    type: 'string',
    pattern: `^${value}(,${value})*$`,
    examples: [values.slice(0, 2).join(',')],
    'x-values': values,
  };
}

function jsonSchema(schema: z.ZodType): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  return rest;
}

function parameterRef(name: string): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}
