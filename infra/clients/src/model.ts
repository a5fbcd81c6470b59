import { errorMeanings, instantPattern } from '@sigcast/contracts';
import { type ApiDocument, jsonOf, type NamedOperation, refOf, type Schema } from './document.ts';

/** The type of a value, for every language. */
export type Type =
  | { readonly kind: 'text' | 'integer' | 'number' | 'boolean' | 'null' | 'unknown' }
  /** A time that is sent: the language's own type, or a text. */
  | { readonly kind: 'instant' }
  | { readonly kind: 'values'; readonly values: readonly unknown[] }
  | { readonly kind: 'name'; readonly name: string }
  /** `several`: a list that is sent. `oneOrMore`: values of a query, separated by commas there. */
  | { readonly kind: 'list' | 'several' | 'oneOrMore'; readonly of: Type }
  | { readonly kind: 'record'; readonly key: Type; readonly of: Type }
  | { readonly kind: 'union'; readonly of: readonly Type[] };

/** A member of an object, or a parameter of a query. */
export type Member = {
  readonly name: string;
  readonly type: Type;
  readonly optional: boolean;
  readonly docs: string;
};

/** A type with a name: an object, or one of some values. */
export type NamedType = { readonly name: string; readonly docs: string } & (
  | { readonly members: readonly Member[] }
  | { readonly values: readonly unknown[] }
);

/** A method of a client that sends one request. */
export type Call = {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Names of the parameters in the path. */
  readonly ids: readonly string[];
  /** The name for the type of the query. */
  readonly queryName: string;
  readonly query: readonly Member[];
  readonly body?: { readonly name: string; readonly members: readonly Member[] };
  /** What an answer holds; of a list, what each entry is. */
  readonly data: Type;
  /** What a list says about its page. */
  readonly meta?: Type;
  readonly idempotent: boolean;
  /** The parameter that reads on after a page, where the whole list can be read so. */
  readonly cursor?: string;
  readonly docs: readonly string[];
  /** Error codes of this operation alone, with their meaning. */
  readonly errors: readonly string[];
};

/** The calls under one name, such as `webhooks`. */
export type Group = { readonly name: string; readonly docs: string; readonly calls: readonly Call[] };

/** What clients of every language are printed from. Types stand after those that they use. */
export type Model = { readonly types: readonly NamedType[]; readonly groups: readonly Group[] };

/** Makes the model of the API's clients. @throws {Error} for what no client can have, with its name. */
export function modelOf(document: ApiDocument, operations: readonly NamedOperation[]): Model {
  const types = new Types(document);
  const called = operations.flatMap(({ call, ...operation }) =>
    call === undefined ? [] : [{ ...operation, name: call }],
  );
  const groups = [...Map.groupBy(called, ({ name }) => name.split('.')[0] ?? '')].map(([name, of]) => {
    const tag = document.paths[of[0]?.path ?? '']?.[of[0]?.method ?? '']?.tags?.[0];
    const docs = document.tags.find((one) => one.name === tag)?.description ?? '';
    return { name, docs, calls: of.map((operation) => callOf(document, operation, types)) };
  });
  const sent = Object.values(document.webhooks).map((item) => jsonOf(item.post?.requestBody));
  for (const schema of sent) if (schema !== undefined) types.of(schema, '');
  types.of({ $ref: 'ApiError' }, '');
  return { types: types.all, groups };
}

/** The names of types that the signatures of calls have. */
export function namesIn(
  groups: readonly Group[],
  { bodies }: { readonly bodies: 'named' | 'spread' },
): string[] {
  const names = groups.flatMap(({ calls }) =>
    calls.flatMap(({ query, body, data, meta }) => [
      ...[data, ...(meta === undefined ? [] : [meta])].flatMap(namesOf),
      ...(bodies === 'named'
        ? [...(body === undefined ? [] : [body.name])]
        : [...query, ...(body?.members ?? [])].flatMap(({ type }) => namesOf(type))),
    ]),
  );
  return [...new Set(names)].sort();
}

function namesOf(type: Type): string[] {
  if (type.kind === 'name') return [type.name];
  if (!('of' in type)) return [];
  return [...('key' in type ? namesOf(type.key) : []), ...[type.of].flat().flatMap(namesOf)];
}

function callOf(document: ApiDocument, operation: NamedOperation & { name: string }, types: Types): Call {
  const { method, path, id, idempotent = false, errors = [] } = operation;
  const { summary, description, parameters, requestBody, responses } = document.paths[path]?.[method] ?? {};
  const body = refOf(jsonOf(requestBody) ?? {});
  const answer = Object.entries(responses ?? {}).find(([status]) => status.startsWith('2'))?.[1];
  const { data, meta } = document.components.schemas[refOf(jsonOf(answer) ?? {}) ?? '']?.properties ?? {};
  if (data === undefined) throw new Error(`${id} has no data in its answer`);
  const name = operation.name.split('.')[1] ?? '';
  const query = (parameters ?? [])
    .filter((one) => one.in === 'query' && one.deprecated !== true)
    .map(({ name = '', description, schema = {} }) => ({
      name,
      type: types.ofParameter(schema),
      optional: true,
      docs: docsOf({ ...schema, ...(description !== undefined && { description }) }, true),
    }));
  const cursor = ['cursor', 'after'].find((place) => query.some((one) => one.name === place));
  return {
    name,
    method: method.toUpperCase(),
    path,
    idempotent,
    query,
    ids: [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter),
    queryName: `${id.charAt(0).toUpperCase()}${id.slice(1)}Query`,
    ...(body !== undefined && { body: { name: body, members: types.sent(body) } }),
    data: types.of(meta === undefined ? data : (data.items ?? {}), ''),
    ...(meta !== undefined && { meta: types.of(meta, '') }),
    ...(name === 'list' && cursor !== undefined && { cursor }),
    docs: [summary, description].flatMap((text) => (text === undefined ? [] : [sentence(text)])),
    errors: errors.map((code) => `\`${code}\`: ${errorMeanings[code].when}`),
  };
}

const primitives = {
  string: 'text',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
} as const;

class Types {
  readonly #schemas: ApiDocument['components']['schemas'];
  readonly #defined = new Map<string, NamedType | undefined>();
  /** Names of enumerations, by their values as JSON. */
  readonly #values: ReadonlyMap<string, string>;

  constructor({ components }: ApiDocument) {
    this.#schemas = components.schemas;
    this.#values = new Map(
      Object.entries(components.schemas).flatMap(([name, { enum: values }]) =>
        values === undefined ? [] : [[JSON.stringify(values), name]],
      ),
    );
  }

  get all(): NamedType[] {
    return [...this.#defined.values()].flatMap((type) => type ?? []);
  }

  /** The members of a body. */
  sent(name: string): readonly Member[] {
    this.of({ $ref: name }, '', true);
    const type = this.#defined.get(name);
    if (type === undefined || !('members' in type)) throw new Error(`${name} is no object`);
    return type.members;
  }

  /** The type of a query's parameter. */
  ofParameter(schema: Schema): Type {
    const values = schema['x-values'];
    return values === undefined ? this.of(schema, '', true) : { kind: 'oneOrMore', of: this.#oneOf(values) };
  }

  /**
   * The type of a schema's values. @param name the name for an object that has none in the document.
   * @param isSent whether programs write the value; otherwise they read it.
   */
  of(schema: Schema, name: string, isSent = false): Type {
    const ref = refOf(schema);
    const target = ref === undefined ? undefined : this.#schemas[ref];
    // An object of any members is the same without its name.
    if (target !== undefined && isRecord(target)) return this.of(target, name, isSent);
    if (ref !== undefined) return this.#define(ref, target, isSent);
    // What follows the first narrows it.
    if (schema.allOf?.[0] !== undefined) return this.of(schema.allOf[0], name, isSent);
    if (schema.anyOf !== undefined) {
      return { kind: 'union', of: schema.anyOf.map((one) => this.of(one, name, isSent)) };
    }
    if (schema.const !== undefined) return { kind: 'values', values: [schema.const] };
    if (schema.enum !== undefined) return this.#oneOf(schema.enum);
    if (Array.isArray(schema.type)) {
      return {
        kind: 'union',
        of: schema.type.map((type: string) => this.of({ ...schema, type }, name, isSent)),
      };
    }
    if (schema.type === 'array') {
      return { kind: isSent ? 'several' : 'list', of: this.of(schema.items ?? {}, name, isSent) };
    }
    if (schema.type === 'object') {
      if (isRecord(schema)) {
        const key = this.of(schema.propertyNames ?? { type: 'string' }, name, isSent);
        return { kind: 'record', key, of: this.of(schema.additionalProperties, name, isSent) };
      }
      return this.#define(name, schema, isSent);
    }
    if (isSent && schema.pattern === instantPattern) return { kind: 'instant' };
    if (Object.keys(schema).length === 0) return { kind: 'unknown' };
    const kind = Object.entries(primitives).find(([type]) => type === schema.type)?.[1];
    if (kind === undefined) throw new Error(`clients have no type for ${JSON.stringify(schema.type)}`);
    return { kind };
  }

  #oneOf(values: readonly unknown[]): Type {
    const name = this.#values.get(JSON.stringify(values));
    return name === undefined ? { kind: 'values', values } : this.#define(name, this.#schemas[name], false);
  }

  #define(name: string, schema: Schema | undefined, isSent: boolean): Type {
    if (schema === undefined || name === '') throw new Error(`the document has no schema ${name}`);
    if (!this.#defined.has(name)) {
      const { enum: values, properties = {}, required = [] } = schema;
      const docs = docsOf(schema, false);
      const members = Object.entries(properties).map(([member, of]) => ({
        name: member,
        type: this.of(of, name + capitalized(member), isSent),
        optional: !required.includes(member),
        docs: docsOf(of, isSent),
      }));
      this.#defined.set(name, values === undefined ? { name, docs, members } : { name, docs, values });
    }
    return { kind: 'name', name };
  }
}

function isRecord(schema: Schema): schema is Schema & { readonly additionalProperties: Schema } {
  const { properties, additionalProperties } = schema;
  return properties === undefined && typeof additionalProperties === 'object';
}

/** What the document says of a schema, as a sentence. */
function docsOf(schema: Schema, withDefault: boolean): string {
  const text = schema.description ?? schema.anyOf?.find(({ description }) => description)?.description ?? '';
  const isShort = withDefault && schema.default !== undefined && typeof schema.default !== 'object';
  return [text && sentence(text), isShort ? `Default: \`${String(schema.default)}\`.` : ''].join(' ').trim();
}

const sentence = (text: string) => (/[.!?:]$/.test(text) ? text : `${text}.`);

/** The name of a member as part of a type's name: `Last24Hours` for `last_24_hours`. */
function capitalized(member: string): string {
  return member.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
