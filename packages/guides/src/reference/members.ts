import type { Api, Schema } from '../api.ts';
import { escapeHtml } from '../escape.ts';
import { inline } from '../render-markdown.ts';

/** How deep members are shown within members. Deeper ones are in the document itself. */
const deepest = 5;

/** A member of an object, or a parameter, as the reference says it. */
export type Member = {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly description?: string | undefined;
};

/** A list of members that the API takes, or answers with; those of their own are folded. */
export function memberList(
  members: readonly Member[],
  api: Api,
  kind: 'taken' | 'answered',
  depth = 0,
): string {
  const note = { taken: ['', ' · <b>required</b>'], answered: [' · may be absent', ''] }[kind];
  const items = members.map(({ name, schema, isRequired, description }) => {
    const { bare, type } = read(schema, api);
    const text = description ?? schema.description ?? bare.description;
    const inner = depth < deepest ? membersOf(bare) : [];
    return `<li><p class="member"><code>${escapeHtml(name)}</code> <span>${escapeHtml(type)}</span>${note[Number(isRequired)]}</p>${
      text === undefined ? '' : describedText(text).join('')
    }${limits(bare)}${inner.length === 0 ? '' : folded(`Members of ${escapeHtml(name)}`, memberList(inner, api, kind, depth + 1), name === 'data')}</li>`;
  });
  return `<ul class="members">${items.join('')}</ul>`;
}

/** A description. Of a long one, the first two sentences are shown, and the others as a list on request. */
export function describedText(description: string): string[] {
  const sentences = description.split(/(?<=[.:]) (?=[A-Z`])/).map(inline);
  if (sentences.length <= 3) return [`<p>${sentences.join(' ')}</p>`];
  const items = sentences.slice(2).map((sentence) => `<li>${sentence}</li>`);
  return [
    `<p>${sentences.slice(0, 2).join(' ')}</p>`,
    folded('Details and limits', `<ul class="limits">${items.join('')}</ul>`),
  ];
}

/** Content that is shown on request, unless it is open at first. */
export function folded(summary: string, content: string, isOpen = false): string {
  return `<details${isOpen ? ' open' : ''}><summary>${summary}</summary>${content}</details>`;
}

/** The members of an object's schema; of a list, those of its items. */
export function membersOfSchema(schema: Schema, api: Api): readonly Member[] {
  return membersOf(read(schema, api).bare);
}

function membersOf({ properties = {}, required = [] }: Schema): readonly Member[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name),
  }));
}

/** A schema without references, null and lists around it, and its type in words. */
function read(given: Schema, api: Api): { readonly bare: Schema; readonly type: string } {
  const schema = merged(api.resolve(given), api);
  const alternatives = schema.anyOf?.filter(({ type }) => type !== 'null');
  if (alternatives !== undefined) {
    const orNull = alternatives.length < (schema.anyOf?.length ?? 0) ? ' or null' : '';
    const all = alternatives.map((one) => read(one, api));
    const types = [...new Set(all.map(({ type }) => type))];
    return { bare: (all.length === 1 && all[0]?.bare) || schema, type: types.join(' or ') + orNull };
  }
  if (schema.items !== undefined) {
    const { bare, type } = read(schema.items, api);
    return { bare, type: `list of ${type}` };
  }
  const { type = 'any', format } = schema;
  const words = [type].flat().map((one) => (format === 'date-time' && one === 'string' ? 'instant' : one));
  const map = schema.additionalProperties;
  if (typeof map === 'object' && Object.keys(map).length > 0)
    return { bare: read(map, api).bare, type: 'object by name' };
  return { bare: schema, type: words.join(' or ') };
}

function merged(schema: Schema, api: Api): Schema {
  if (schema.allOf === undefined) return schema;
  const parts = schema.allOf.map((part) => merged(api.resolve(part), api));
  const properties = Object.assign({}, ...parts.map((part) => part.properties)) as Record<string, Schema>;
  return { type: 'object', properties, required: parts.flatMap(({ required = [] }) => required) };
}

/** What values are allowed, and which one is meant where none is given. */
function limits(schema: Schema): string {
  const values =
    schema.enum ?? schema['x-values'] ?? (schema.const === undefined ? undefined : [schema.const]);
  const { minimum, maximum, minLength, maxLength, examples, default: usual } = schema;
  const said = [
    values && `One of ${values.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' ')}`,
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    examples !== undefined && `Example <code>${escapeHtml(String(examples[0]))}</code>`,
    usual !== undefined && typeof usual !== 'object' && `Default <code>${escapeHtml(String(usual))}</code>`,
  ].filter(Boolean);
  return said.length === 0 ? '' : `<p class="limits">${said.join(' · ')}</p>`;
}

function range(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (most !== undefined)
    return `${least === undefined ? 'At most' : `${grouped(least)} to`} ${grouped(most)}${unit}`;
  return least === undefined || unit !== '' ? undefined : `At least ${grouped(least)}`;
}

const grouped = (value: number) => value.toLocaleString('en');
