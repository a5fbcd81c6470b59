import type { Field } from '@sigcast/contracts';
import { indented, notice, wrapped } from './lines.ts';
import {
  type Call,
  type Group,
  type Member,
  type Model,
  type NamedType,
  namesIn,
  type Type,
} from './model.ts';

/** The types of the client for TypeScript, with those of its queries. */
export function typescriptTypes({ types, groups }: Model): string {
  const queries = groups.flatMap(({ calls }) =>
    calls
      .filter(({ query }) => query.length > 0)
      .map(({ queryName, query, docs }) => ({
        name: queryName,
        docs: `Parameters of: ${docs[0]}`,
        members: query,
      })),
  );
  return `${header(['query.ts', ['OneOrMore']])}\n${[...types, ...queries].map(definition).join('\n\n')}\n`;
}

/** The groups of calls of the client for TypeScript. */
export function typescriptCalls({ groups }: Model): string {
  const text = groups.map(groupClass).join('\n\n');
  const queries = groups.flatMap(({ calls }) => calls.filter(({ query }) => query.length > 0));
  const used = [...namesIn(groups, { bodies: 'named' }), ...queries.map(({ queryName }) => queryName)].sort();
  const members = groups.map(({ name }) => `  readonly ${name}: ${classOf(name)};\n`).join('');
  const made = groups.map(({ name }) => `    this.${name} = new ${classOf(name)}(transport);\n`).join('');
  return `${header(['answer.ts', ['Answer', 'Page']])}import { queryString } from '../query.ts';
import { type CallOptions, Group, type IdempotentOptions, segment, type Transport } from '../transport.ts';
import type {\n${used.map((name) => `  ${name},\n`).join('')}} from './types.ts';

${text}

/** All groups of calls. */
export class Groups {
${members}
  constructor(transport: Transport) {
${made}  }
}
`;
}

/** The test event of the API, as at the beginning of 1970. */
export function typescriptTestEvent(event: unknown): string {
  return `// ${notice}
import type { WebhookPayload } from './types.ts';

/** The test event of the API, with no time yet. */
export const testEvent: WebhookPayload = ${JSON.stringify(event, null, 2)};
`;
}

/** The fields of events that filters can name. */
export function typescriptFields(fields: ReadonlyMap<string, Field>): string {
  const named = [...fields.values()].filter(({ refused }) => refused === undefined);
  const lines = named.map(({ path, kind, values }) => {
    const choices = values === undefined ? '' : `, values: [${oneOf(values).replaceAll(' | ', ', ')}]`;
    return `  '${path}': { kind: '${kind}'${choices} },\n`;
  });
  return `// ${notice}
/** A field that a filter can name. \`values\`: the texts that it may be; absent where any may. */
export type FilterField = {
  readonly kind: 'boolean' | 'choice' | 'instant' | 'list' | 'number' | 'text';
  readonly values?: readonly string[];
};

/** The fields of an event's \`data\` that a filter can name, by their paths. */
export const eventFilterFields: Readonly<Record<string, FilterField>> = {
${lines.join('')}};
`;
}

function header([file, names]: [string, string[]]): string {
  return `// ${notice}\nimport type { ${names.join(', ')} } from '../${file}';\n`;
}

function definition(type: NamedType): string {
  const docs = comment([type.docs]);
  if ('values' in type) {
    const constant = `${type.name[0]?.toLowerCase()}${type.name.slice(1)}Values`;
    const values = oneOf(type.values).replaceAll(' | ', ', ');
    return `export const ${constant} = [${values}] as const;\n${docs}export type ${type.name} = (typeof ${constant})[number];`;
  }
  return `${docs}export type ${type.name} = {\n${type.members.map((member) => indented(memberOf(member), '  ')).join('')}};`;
}

function memberOf({ name, type, optional, docs }: Member): string {
  return `${comment([docs])}readonly ${name}${optional ? '?' : ''}: ${textOf(type)}${optional ? ' | undefined' : ''};\n`;
}

function textOf(type: Type): string {
  switch (type.kind) {
    case 'text':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'null':
    case 'unknown':
      return type.kind;
    case 'instant':
      return 'Date | string';
    case 'values':
      return oneOf(type.values);
    case 'name':
      return type.name;
    case 'list':
    case 'several':
      return /[ |]/.test(textOf(type.of))
        ? `readonly (${textOf(type.of)})[]`
        : `readonly ${textOf(type.of)}[]`;
    case 'oneOrMore':
      return `OneOrMore<${textOf(type.of)}>`;
    case 'record':
      return `{ readonly [Key in ${textOf(type.key)}]?: ${textOf(type.of)} }`;
    case 'union':
      return type.of.map(textOf).join(' | ');
  }
}

function groupClass({ name, docs, calls }: Group): string {
  const methods = calls.flatMap((call) => [
    methodOf(call),
    ...(call.cursor === undefined ? [] : [iterateOf(call)]),
  ]);
  return `${comment([`\`sigcast.${name}\`: ${docs}`])}export class ${classOf(name)} extends Group {
${methods.map((text) => indented(text, '  ')).join('\n')}}`;
}

function methodOf(operation: Call): string {
  const { name, method, path, ids, queryName, query, body, data, meta, idempotent, docs, errors } = operation;
  const parameters = [
    ...ids.map((id) => `${camelCase(id)}: string`),
    ...(body === undefined ? [] : [`body: ${body.name}`]),
    ...(query.length === 0 ? [] : [`query: ${queryName} = {}`]),
    idempotent
      ? '{ idempotencyKey = crypto.randomUUID(), ...options }: IdempotentOptions = {}'
      : 'options?: CallOptions',
  ];
  const answer = meta === undefined ? `Answer<${textOf(data)}>` : `Page<${textOf(data)}, ${textOf(meta)}>`;
  const sent = meta === undefined ? textOf(data) : `readonly ${textOf(data)}[], ${textOf(meta)}`;
  const call = [
    `method: '${method}'`,
    `path: \`${urlOf(path)}${query.length === 0 ? '' : `\${queryString(query)}`}\``,
    ...(body === undefined ? [] : ['body']),
    ...(idempotent ? ['idempotencyKey'] : []),
  ];
  return `${comment([...docs, ...errors.map((error) => `@throws {SigcastError} ${error}`)])}${name}(
${parameters.map((one) => `  ${one},\n`).join('')}): Promise<${answer}> {
  return this.transport.send<${sent}>({ ${call.join(', ')} }, options);
}
`;
}

function iterateOf({ path, ids, queryName, query, data, cursor }: Call): string {
  const omitted = query.some(({ name }) => name === 'page') ? `Omit<${queryName}, 'page'>` : queryName;
  const docs =
    'Everything that `list` finds, page after page, each entry once. One request for each `limit` entries; default: 100.';
  return `${comment([docs])}iterate(
${ids.map((id) => `  ${camelCase(id)}: string,\n`).join('')}  query: ${omitted} = {},
  options?: CallOptions,
): AsyncGenerator<${textOf(data)}, void, undefined> {
  return this.transport.entries<${textOf(data)}>(\`${urlOf(path)}\`, { query, cursor: '${cursor}' }, options);
}
`;
}

function urlOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, (_, id: string) => `\${segment(${camelCase(id)})}`);
}

function oneOf(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' | ');
}

/** A comment of paragraphs, which editors show; empty for empty ones. */
function comment(paragraphs: readonly string[]): string {
  const lines = paragraphs
    .filter((text) => text !== '')
    .map((text) => wrapped(text.replaceAll('*/', '*\\/'), 110))
    .flatMap((text, index) => (index > 0 && !text[0]?.startsWith('@') ? ['', ...text] : text));
  if (lines.length === 0) return '';
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}

const classOf = (group: string) => `${group.charAt(0).toUpperCase()}${group.slice(1)}`;

const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
