import { z } from 'zod';
import { invalidRequest, type SigcastError } from '../errors.ts';
import { apiOperations } from './api-operations.ts';
import type { JsonObject, Operation } from './operation.ts';
import { parameterComponents, pathParametersOf, queryParametersOf } from './parameters.ts';
import { nameOf, tidy } from './schemas.ts';

/** An operation as a tool of the MCP server, with what a client is told of it. */
export type ApiTool = {
  readonly operation: Operation;
  /** The operation's id in snake case: `list_signals`. */
  readonly name: string;
  /** Path and query parameters, and members of the body, by their name. */
  readonly inputSchema: ObjectSchema;
  /** The operation's answer. */
  readonly outputSchema: ObjectSchema;
};

type ObjectSchema = JsonObject & { readonly type: 'object' };

/** A request that a tool's call stands for. */
export type ToolRequest = {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** JSON, where the operation takes a body. */
  readonly body?: string;
};

/** The tools, in the order of their operations. */
export function apiTools(): ApiTool[] {
  return apiOperations
    .filter((operation: Operation) => operation.tool === true)
    .map((operation: Operation) => ({
      operation,
      name: operation.id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      inputSchema: inputSchemaOf(operation),
      outputSchema: objectSchema(operation.answer, 'output'),
    }));
}

/**
 * The request that a tool's call stands for. Other arguments than those in the path are checked by the service that answers,
 * which names what is wrong.
 * @returns an error where an argument of the path is missing.
 */
export function requestOf(
  { operation }: ApiTool,
  given: Readonly<Record<string, unknown>>,
): ToolRequest | SigcastError {
  const inPath = pathParametersOf(operation);
  const missing = inPath.filter((name) => typeof given[name] !== 'string' || given[name] === '');
  if (missing.length > 0) {
    return invalidRequest(missing.map((field) => ({ field, message: 'must be an identifier' })));
  }
  const method = operation.method.toUpperCase();
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(textOf(given[name])),
  );
  if (operation.body !== undefined) return { method, target: path, body: JSON.stringify(given) };
  const query = new URLSearchParams(
    Object.entries(given)
      .filter(([name, value]) => !inPath.includes(name) && value !== null)
      .map(([name, value]): [string, string] => [name, textOf(value)]),
  ).toString();
  return { method, target: query === '' ? path : `${path}?${query}` };
}

/** A value as a parameter's text: of a list its values separated by commas, of an object its JSON. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** @throws where an operation has a query and a body: arguments would have two meanings. */
function inputSchemaOf(operation: Operation): ObjectSchema {
  const names = pathParametersOf(operation);
  const parameters = queryParametersOf(operation);
  if (operation.body !== undefined && names.length + parameters.length > 0) {
    throw new Error(`${operation.id} has parameters and a body`);
  }
  if (operation.body !== undefined) return objectSchema(operation.body, 'input');
  const properties = [
    ...names.map((name) => [name, parameterComponents[name]] as const),
    ...parameters.map((parameter) => [String(parameter.name), parameter] as const),
  ].map(([name, parameter]) => {
    const { schema, description } = parameter as { schema: JsonObject; description?: string };
    const { 'x-values': _values, ...rest } = schema;
    return [name, { ...rest, ...(description !== undefined && { description }) }] as const;
  });
  return {
    type: 'object',
    properties: tidy(Object.fromEntries(properties), false),
    ...(names.length > 0 && { required: names }),
    additionalProperties: false,
  };
}

/** A schema with all that it refers to. Its root has members: MCP allows no reference there. */
function objectSchema(schema: z.ZodType = z.object({}), io: 'input' | 'output'): ObjectSchema {
  const whole = tidy(z.toJSONSchema(schema, { io, unrepresentable: 'any' }), io === 'output') as JsonObject;
  if (whole.$ref === undefined) return whole as ObjectSchema;
  const { [nameOf(schema)]: root, ...$defs } = whole.$defs as Record<string, JsonObject>;
  return { ...(root as ObjectSchema), $defs };
}
