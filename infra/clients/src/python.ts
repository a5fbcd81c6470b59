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

/** Python's keywords that members and parameters of the API may have as their names. */
const reserved = new Set('class def from global import in is lambda pass return'.split(' '));

/** The types of the client for Python: a TypedDict for each object, a Literal for each enumeration. */
export function pythonTypes({ types }: Model): string {
  return `"""Types of requests and answers. ${notice}"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from ..call import Instant

${types.map(definition).join('\n\n')}`;
}

/** The groups of calls of the client for Python, for asyncio. */
export function pythonCalls({ groups }: Model): string {
  const text = groups.map(groupClass).join('\n\n');
  const names = namesIn(groups, { bodies: 'spread' }).map((name) => `    ${name},\n`);
  const made = groups.map(({ name }) => `        self.${name} = ${classOf(name)}(transport)\n`).join('');
  return `"""Calls of the API. ${notice}"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Literal

from ..answer import Answer, Page
from ..async_transport import AsyncTransport
from ..call import OMITTED, Call, Instant, Omitted, OneOrMore, idempotency, query_string, segment
from ..generated.types import (
${names.join('')})


${text}

class AsyncGroups:
    """All groups of calls."""

    def __init__(self, transport: AsyncTransport) -> None:
${made}`;
}

function definition(type: NamedType): string {
  const { name, docs } = type;
  if ('values' in type) return `${name}: TypeAlias = ${literal(type.values)}\n`;
  const { members } = type;
  if (members.some((member) => reserved.has(member.name))) {
    const lines = members.map((member) => `        "${member.name}": ${memberType(member)},\n`);
    return `${name} = TypedDict(\n    "${name}",\n    {\n${lines.join('')}    },\n)\n`;
  }
  const lines = members.map((member) => `${member.name}: ${memberType(member)}\n${docstring([member.docs])}`);
  return `class ${name}(TypedDict):\n${indented(docstring([docs]) + lines.join(''), '    ')}`;
}

const memberType = ({ type, optional }: Member) => (optional ? `NotRequired[${textOf(type)}]` : textOf(type));

const primitives = {
  text: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
  instant: 'Instant',
  unknown: 'Any',
} as const;

function textOf(type: Type): string {
  switch (type.kind) {
    case 'text':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'null':
    case 'instant':
    case 'unknown':
      return primitives[type.kind];
    case 'values':
      return literal(type.values);
    case 'name':
      return type.name;
    case 'list':
      return `list[${textOf(type.of)}]`;
    case 'several':
      return `Sequence[${textOf(type.of)}]`;
    case 'oneOrMore':
      return `OneOrMore[${textOf(type.of)}]`;
    case 'record':
      return `dict[${textOf(type.key)}, ${textOf(type.of)}]`;
    case 'union':
      return type.of.map(textOf).join(' | ');
  }
}

function groupClass({ name, docs, calls }: Group): string {
  const methods = calls.flatMap((call) => [
    methodOf(call),
    ...(call.cursor === undefined ? [] : [iterateOf(call)]),
  ]);
  return `class ${classOf(name)}:
${indented(docstring([`\`sigcast.${name}\`: ${docs}`]), '    ')}
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

${methods.map((text) => indented(text, '    ')).join('\n')}`;
}

function methodOf(call: Call): string {
  const { name, method, path, ids, query, body, data, meta, idempotent, docs, errors } = call;
  const key = 'idempotency_key';
  const parameters = [
    ...(body?.members ?? []).map((one) => given(one, 'OMITTED', 'Omitted')),
    ...query.map((one) => given(one, 'None', 'None')),
    ...(idempotent ? [`${key}: str | None = None`] : []),
  ];
  const described = [
    ...(body?.members ?? []),
    ...query,
    ...(idempotent ? [{ name: key, docs: idempotencyDocs }] : []),
  ];
  const answer = meta === undefined ? `Answer[${textOf(data)}]` : `Page[${textOf(data)}, ${textOf(meta)}]`;
  const url = urlOf(path) + (query.length === 0 ? '' : ` + query_string(${dictOf(query)})`);
  const sent = [
    url,
    ...(body === undefined ? [] : [dictOf(body.members)]),
    ...(idempotent ? [`idempotency_key=idempotency(${key})`] : []),
  ];
  return `async def ${snakeCase(name)}(
${signature(ids, parameters)}) -> ${answer}:
${indented(
  docstring([
    ...docs,
    section('Args', described),
    section(
      'Raises',
      errors.map((text) => ({ name: 'SigcastError', docs: text })),
    ),
  ]),
  '    ',
)}    return await self._transport.${meta === undefined ? 'send' : 'page'}(Call("${method}", ${sent.join(', ')}))
`;
}

function iterateOf({ path, ids, query, data, cursor = '' }: Call): string {
  const filters = query.filter(({ name }) => !['page', 'limit', 'cursor'].includes(name));
  const docs = [
    'Everything that `list` finds, page after page, each entry once.',
    'One request for each `limit` entries.',
    section('Args', filters),
  ];
  return `def iterate(
${signature(ids, [...filters.map((one) => given(one, 'None', 'None')), 'limit: int = 100'])}) -> AsyncGenerator[${textOf(data)}, None]:
${indented(docstring(docs), '    ')}    return self._transport.entries(${urlOf(path)}, ${dictOf([...filters, { name: 'limit' }])}, "${cursor}")
`;
}

const idempotencyDocs =
  'Calls with the same key have one effect, also across a restart of your program. Default: a new key for each call.';

function signature(ids: readonly string[], named: readonly string[]): string {
  const all = ['self', ...ids.map((id) => `${id}: str`), ...(named.length === 0 ? [] : ['*', ...named])];
  return all.map((one) => `    ${one},\n`).join('');
}

function given({ name, type, optional }: Member, absent: string, absentType: string): string {
  return `${safe(name)}: ${textOf(type)}${optional ? ` | ${absentType} = ${absent}` : ''}`;
}

function dictOf(members: readonly Pick<Member, 'name'>[]): string {
  const entries = members.map(({ name }) => `"${name}": ${safe(name)}`);
  return entries.length < 5 ? `{${entries.join(', ')}}` : `{\n        ${entries.join(',\n        ')},\n    }`;
}

/** A part of a docstring that lists names with what they mean. */
function section(
  title: string,
  entries: readonly { readonly name: string; readonly docs: string }[],
): string {
  const lines = entries
    .filter(({ docs }) => docs !== '')
    .map(({ name, docs }) => wrapped(`${safe(name)}: ${docs}`, 100).join('\n        '));
  return lines.length === 0 ? '' : `${title}:\n    ${lines.join('\n    ')}`;
}

/** A docstring of paragraphs; empty for empty ones. A paragraph with lines keeps them. */
function docstring(paragraphs: readonly string[]): string {
  const text = paragraphs
    .filter((one) => one !== '')
    .map((one) => (one.includes('\n    ') ? one : wrapped(one, 106).join('\n')))
    .join('\n\n')
    .replaceAll('\\', '\\\\')
    .replaceAll('"""', '\\"\\"\\"');
  if (text === '') return '';
  return text.includes('\n\n') ? `"""${text}\n"""\n` : `"""${text}"""\n`;
}

function urlOf(path: string): string {
  const text = path.replace(/\{(\w+)\}/g, '{segment($1)}');
  return text === path ? `"${path}"` : `f"${text}"`;
}

function literal(values: readonly unknown[]): string {
  return `Literal[${values.map((value) => (value === true ? 'True' : value === false ? 'False' : JSON.stringify(value))).join(', ')}]`;
}

const classOf = (group: string) => `Async${group.charAt(0).toUpperCase()}${group.slice(1)}`;

const safe = (name: string) => (reserved.has(name) ? `${name}_` : name);

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
