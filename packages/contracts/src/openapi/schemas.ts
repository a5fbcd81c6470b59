import { z } from 'zod';
import { sampleOf } from '../sample.ts';
import type { JsonObject, Operation } from './operation.ts';

/** The reference to a schema of the document. */
export function ref(name: string): string {
  return `#/components/schemas/${name}`;
}

/** The name of a schema in the document: its `id`. @throws where it has none. */
export function nameOf(schema: z.ZodType): string {
  const { id } = z.globalRegistry.get(schema) ?? {};
  if (id === undefined) throw new Error('a body or an answer needs a name: .meta({ id })');
  return id;
}

/**
 * All schemas that have a name, each with an example where it is a body, an answer or sent to subscribers.
 * @param closed whether objects in answers have no other members. Request bodies never have others: they would be refused.
 */
export function schemaComponents(
  operations: readonly Operation[],
  payloads: readonly z.ZodType[],
  closed: boolean,
): JsonObject {
  const shown = [
    ...payloads,
    ...operations.flatMap(({ answer, accepted, body }) =>
      [answer ?? [], accepted?.answer ?? [], body ?? []].flat(),
    ),
  ];
  const samples = new Map(shown.map((schema) => [nameOf(schema), sampleOf(schema)]));
  const bodies = new Set(operations.flatMap(({ body }) => (body === undefined ? [] : [nameOf(body)])));
  const options = { uri: ref, unrepresentable: 'any' } as const;
  const output = z.toJSONSchema(z.globalRegistry, { ...options, io: 'output' }).schemas;
  const input = z.toJSONSchema(z.globalRegistry, { ...options, io: 'input' }).schemas;
  return Object.fromEntries(
    Object.entries(output).map(([name, schema]) => [
      name,
      {
        ...(tidy(bodies.has(name) ? input[name] : schema, !closed && !bodies.has(name)) as JsonObject),
        ...(samples.has(name) && { examples: [samples.get(name)] }),
      },
    ]),
  );
}

/** Removes `$schema`, `$id` and what only we read; with `open` also `additionalProperties: false`. */
export function tidy(value: unknown, open: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => tidy(item, open));
  if (typeof value !== 'object' || value === null) return value;
  const hidden = ([name, item]: readonly [string, unknown]) => {
    // The format says it, and can be read.
    if (name === 'pattern') return 'format' in value;
    // JSON's own bound.
    if (name === 'maximum') return item === Number.MAX_SAFE_INTEGER;
    if (name === 'additionalProperties') return open && item === false;
    return ['$schema', '$id', 'id', 'example', 'absent'].includes(name);
  };
  return Object.fromEntries(
    Object.entries(value)
      .filter((entry) => !hidden(entry))
      .map(([name, item]) => [
        name,
        name === 'properties' ? eachTidy(item as JsonObject, open) : tidy(item, open),
      ]),
  );
}

/** Members of an object, whose names may be those of keywords. */
function eachTidy(members: JsonObject, open: boolean): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, tidy(member, open)]));
}
