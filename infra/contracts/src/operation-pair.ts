import { find, type Located, type Schema } from './schema.ts';
import { takenBy } from './taken-by.ts';
import type { Break, Telling } from './wording.ts';

/** Parts of a document, by name. */
export type Named = Readonly<Record<string, Schema>>;

export type Parameter = Schema & {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
};

/** One operation in both releases, with the documents that its references are resolved in. */
export type Pair = {
  readonly was: Schema;
  readonly is: Schema;
  readonly released: Schema;
  readonly present: Schema;
  /** `GET /v1/signals` */
  readonly name: string;
};

/** Compares bodies. Clients send `requests`, the services send `answers`. */
export function compareContents(
  { released, present }: Pair,
  before: Named,
  now: Named,
  { direction, where, readers }: Pick<Telling, 'where' | 'readers'> & { direction: 'requests' | 'answers' },
): Break[] {
  return Object.entries(before).flatMap(([type, content]) => {
    const same = now[type];
    if (same === undefined) {
      const whom =
        direction === 'requests'
          ? 'requests that use it are refused'
          : `${readers ?? 'clients'} that read it break`;
      return [{ where, what: `media type \`${type}\` was removed`, whom }];
    }
    const one = { schema: (content.schema ?? {}) as Schema, root: released };
    const other = { schema: (same.schema ?? {}) as Schema, root: present };
    const called = (path: string) => (path === '' ? 'the body' : `field \`${path}\``);
    const tell = { direction, where, called, ...(readers && { readers }) };
    return direction === 'requests' ? takenBy(one, other, tell) : takenBy(other, one, tell);
  });
}

/** Compares headers of answers to clients, or of requests to receivers. */
export function compareHeaders(
  { released, present }: Pair,
  before: Named,
  now: Named,
  { where, readers }: { where: string; readers: 'clients' | 'receivers' },
): Break[] {
  const whom = `${readers} that read it break`;
  return Object.entries(before).flatMap(([name, header]) => {
    const found = Object.entries(now).find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1];
    const called = () => `header \`${name}\``;
    if (found === undefined) return [{ where, what: `${called()} was removed`, whom }];
    const [one, same] = [resolve(header, released), resolve(found, present)];
    return [
      ...(one.required === true && same.required !== true
        ? [{ where, what: `${called()} may be absent now`, whom }]
        : []),
      ...takenBy(schemaOf(same, present), schemaOf(one, released), {
        direction: 'answers',
        where,
        called,
        whom,
      }),
    ];
  });
}

/** The content of a body or an answer, by media type. */
export function contentOf(holder: unknown): Named {
  return ((holder as Schema | undefined)?.content ?? {}) as Named;
}

const known = new Set([
  ...['operationId', 'parameters', 'requestBody', 'responses', 'security'],
  ...['tags', 'summary', 'description', 'externalDocs', 'deprecated'],
]);

/**
 * An operation, with the parameters that its path has for all operations.
 * @throws when the operation has a part that the comparison does not know: a change of it would be overlooked.
 */
export function operationOf(item: Schema, method: string): Schema {
  const operation = item[method] as Schema;
  for (const name of [...Object.keys(operation), ...Object.keys(item).filter((one) => one === '$ref')]) {
    if (!known.has(name) && !name.startsWith('x-'))
      throw new Error(`"${name}" of an operation is not known to the comparison`);
  }
  const [shared, own] = [item, operation].map(({ parameters }) => (parameters ?? []) as Schema[]);
  return { ...operation, parameters: [...(shared ?? []), ...(own ?? [])] };
}

/** The schema of a parameter or header. @throws when it is described by a media type instead. */
export function schemaOf(part: Schema, root: Schema): Located {
  if (part.content !== undefined) throw new Error('"content" of a parameter is not known to the comparison');
  return { schema: (part.schema ?? {}) as Schema, root };
}

export function parametersOf(operation: Schema, document: Schema): readonly Parameter[] {
  return ((operation.parameters ?? []) as Schema[]).map((one) => resolve(one, document) as Parameter);
}

/** A part of a document, or the part that its `$ref` names. */
export function resolve(part: Schema, document: Schema): Schema {
  return part.$ref === undefined ? part : find(String(part.$ref), document);
}
