import { type ApiDocument, refOf, type Schema } from './schema.ts';

const header = `"""Types of requests and answers. Generated from the OpenAPI document by \`npx pnpm@12 client:python\`: do not edit."""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict
`;

/** Schemas that callers need besides those of answers. */
const roots = ['ApiError', 'WebhookPayload', 'WebhookStatePayload'];

/** Python's keywords that members of the API may have as their names. */
const reserved = new Set([
  'class',
  'def',
  'from',
  'global',
  'import',
  'in',
  'is',
  'lambda',
  'pass',
  'return',
]);

/** The module `types.py`, for everything under `/v1`: a TypedDict for each object, a Literal for each enumeration. */
export function typesOf(document: ApiDocument): string {
  const types = new Types(document);
  for (const [name, schema] of namedValues(document)) types.define(name, schema);
  for (const name of [...namesUnderV1(document), ...roots]) types.use({ $ref: name }, '');
  return `${header}\n${types.definitions.join('\n\n\n')}\n`;
}

/** Enumerations of parameters, which callers write and which have no name in the document. */
function namedValues({ paths, components }: ApiDocument): [string, Schema | undefined][] {
  const parameter = (path: string, name: string) =>
    paths[path]?.get?.parameters?.find((one) => one.name === name)?.schema;
  const listed = (path: string, name: string) => {
    const values = parameter(path, name)?.['x-values'];
    return values && { enum: values };
  };
  return [
    ['Period', parameter('/v1/stats', 'period')],
    ['Interval', parameter('/v1/stats/series', 'interval')],
    ['SignalInclude', listed('/v1/signals', 'include')],
    ['Resolution', parameter('/v1/signals/{signal_id}/history', 'resolution')],
    ['StatisticsInclude', listed('/v1/stats', 'include')],
    ['SeriesInclude', listed('/v1/stats/series', 'include')],
    ['DeliveryFilterStatus', parameter('/v1/webhooks/{webhook_id}/deliveries', 'status')],
    ['WebhookStatus', components.schemas.Webhook?.properties?.status],
  ];
}

/** The names of the schemas of `data` and `meta` in successful answers. */
function namesUnderV1({ paths, components }: ApiDocument): string[] {
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([, operations]) => Object.values(operations))
    .flatMap(({ responses }) => Object.entries(responses).filter(([status]) => status.startsWith('2')))
    .map(([, response]) => refOf(response.content?.['application/json']?.schema ?? {}) ?? '')
    .flatMap((name) => {
      const { data, meta } = components.schemas[name]?.properties ?? {};
      return [data?.items ?? data, meta].flatMap((schema) => (schema && refOf(schema)) ?? []);
    });
}

class Types {
  readonly definitions: string[] = [];
  readonly #schemas: ApiDocument['components']['schemas'];
  readonly #defined = new Set<string>();
  /** Names of enumerations, by their values as JSON. */
  readonly #values = new Map<string, string>();

  constructor({ components }: ApiDocument) {
    this.#schemas = components.schemas;
    for (const [name, schema] of Object.entries(this.#schemas)) {
      if (schema.enum !== undefined) this.#values.set(JSON.stringify(schema.enum), name);
    }
  }

  /** Writes the definition of a named type, after those that it uses. */
  define(name: string, schema: Schema | undefined): void {
    if (schema === undefined) throw new Error(`the document has no schema for ${name}`);
    if (this.#defined.has(name)) return;
    this.#defined.add(name);
    if (schema.enum !== undefined) {
      this.#values.set(JSON.stringify(schema.enum), name);
      this.definitions.push(`${name}: TypeAlias = ${literal(schema.enum)}`);
    } else {
      // Making the definition first defines the types that it uses.
      const definition = this.#typedDict(name, schema);
      this.definitions.push(definition);
    }
  }

  /** The Python expression of a type. @param name the name to define for an object that has none in the document. */
  use(schema: Schema, name: string): string {
    const ref = refOf(schema);
    if (ref !== undefined) {
      this.define(ref, this.#schemas[ref]);
      return ref;
    }
    if (schema.anyOf !== undefined) return schema.anyOf.map((one) => this.use(one, name)).join(' | ');
    if (schema.const !== undefined) return literal([schema.const]);
    if (schema.enum !== undefined) return this.#named(schema.enum);
    if (Array.isArray(schema.type)) {
      return schema.type.map((type: string) => this.use({ ...schema, type }, name)).join(' | ');
    }
    if (schema.type === 'array') return `list[${this.use(schema.items ?? {}, name)}]`;
    if (schema.type !== 'object') return primitive(schema.type as string);
    if (schema.properties === undefined && typeof schema.additionalProperties === 'object') {
      const key = this.use(schema.propertyNames ?? { type: 'string' }, name);
      return `dict[${key}, ${this.use(schema.additionalProperties, name)}]`;
    }
    this.define(name, schema);
    return name;
  }

  #named(values: readonly unknown[]): string {
    const name = this.#values.get(JSON.stringify(values));
    if (name === undefined) return literal(values);
    return this.#defined.has(name) ? name : this.use({ $ref: name }, name);
  }

  #typedDict(name: string, { properties, required = [], description }: Schema): string {
    if (properties === undefined) throw new Error(`${name} has no properties`);
    const fields = Object.entries(properties).map(([field, schema]) => {
      const type = this.use(schema, name + capitalized(field));
      return { field, type: required.includes(field) ? type : `NotRequired[${type}]`, schema };
    });
    if (fields.some(({ field }) => reserved.has(field))) {
      const lines = fields.map(({ field, type }) => `    "${field}": ${type},\n`);
      return `${name} = TypedDict(\n    "${name}",\n    {\n${lines.map((line) => `    ${line}`).join('')}    },\n)`;
    }
    const lines = fields.map(
      ({ field, type, schema }) => `    ${field}: ${type}\n${docstring(schema.description)}`,
    );
    return `class ${name}(TypedDict):\n${docstring(description)}${lines.join('')}`.trimEnd();
  }
}

function primitive(type: string): string {
  const known: Readonly<Record<string, string>> = {
    ...{ string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' },
  };
  const found = known[type];
  if (found === undefined) throw new Error(`there is no Python type for ${type}`);
  return found;
}

function literal(values: readonly unknown[]): string {
  return `Literal[${values.map((value) => (value === true ? 'True' : JSON.stringify(value))).join(', ')}]`;
}

/** The name of a field as part of a type's name: `Last24Hours` for `last_24_hours`. */
function capitalized(field: string): string {
  return field.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** A description as a docstring, wrapped at 110 characters; empty without a description. */
function docstring(text: string | undefined): string {
  if (text === undefined) return '';
  const lines = text.replace(/(.{1,106})(?: |$)/g, '    $1\n').trimEnd();
  return `    """${lines.trimStart()}"""\n`;
}
