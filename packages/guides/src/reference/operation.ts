import type { Answer, Api, ApiEntry } from '../api.ts';
import { escapeHtml } from '../escape.ts';
import { methodBadge } from '../frame.ts';
import { inline } from '../render-markdown.ts';
import { clientCode, curlCode } from '../samples/languages.ts';
import type { SampleRequest } from '../samples/request.ts';
import { answerOf, codeBlock, sampleBlock } from '../samples/sample-block.ts';
import { describedText, folded, type Member, memberList, membersOfSchema } from './members.ts';

/** An operation of the reference: a sample, beside what it takes and answers. */
export function operationSection(entry: ApiEntry, api: Api): string {
  const { id, summary, description, parameters, body } = entry;
  const about = [
    `<h2 id="${id}">${escapeHtml(summary)} <a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(summary)}">#</a></h2>`,
    `<p class="route">${methodBadge(entry.method)} <code>${entry.isSent ? `your address · ${escapeHtml(entry.path)}` : breakable(entry.path)}</code></p>`,
  ];
  const taken = [
    ...describedText(description),
    credentialsText(entry),
    titled('Parameters', parameters.map(asMember), api),
    titled(
      entry.isSent ? 'What you get' : 'Body',
      body === undefined ? [] : membersOfSchema(body.schema, api),
      api,
    ),
  ];
  return `<section class="operation" aria-labelledby="${id}">
<div class="about">${about.join('\n')}</div>
<div class="beside">${sample(entry)}</div>
<div>${taken.join('\n')}</div>
<div>${answersText(entry.answers, api)}</div>
</section>
`;
}

/** A path that may be broken before each slash. */
function breakable(path: string): string {
  return escapeHtml(path).replaceAll('/', '<wbr>/');
}

function asMember({
  name,
  schema,
  required = false,
  description,
  in: place,
}: ApiEntry['parameters'][number]): Member {
  const where = place === 'query' ? '' : `In the ${place}. `;
  return { name, schema, isRequired: required, description: where + (description ?? '') };
}

function titled(title: string, members: readonly Member[], api: Api): string {
  return members.length === 0 ? '' : `<h3>${title}</h3>${memberList(members, api, 'taken')}`;
}

const needs: Readonly<Record<string, string>> = {
  apiKey: 'an <a href="/docs/authentication">API key</a>',
  accessToken: 'an access token of a session',
  refreshCookie: 'the session’s cookie',
};

function credentialsText({ credentials, isSent }: ApiEntry): string {
  if (isSent) return '';
  const words = credentials.flatMap((name) => needs[name] ?? []);
  return `<p class="needs">${words.length === 0 ? 'Needs no key and no session.' : `Needs ${words.join(' or ')}.`}</p>`;
}

/** A success with its members, and the codes of the errors, which the guide explains. */
function answersText(answers: readonly Answer[], api: Api): string {
  const successes = answers.filter(({ status }) => status < 400);
  const failures = answers.filter(({ status }) => status >= 400);
  const said = successes.map(({ status, description, schema }) => {
    const members = schema === undefined ? [] : shownMembers(schema, api);
    const text = `<p class="member"><code>${status}</code> ${inline(description)}</p>`;
    return (
      text +
      (members.length === 0 ? '' : folded('Members of the answer', memberList(members, api, 'answered')))
    );
  });
  const codes = failures.flatMap(({ status, codes: names }) =>
    names.map((code) => `<li><code>${status}</code> <a href="/docs/errors#${code}">${code}</a></li>`),
  );
  const errors =
    codes.length === 0 ? '' : folded(`Errors (${codes.length})`, `<ul class="codes">${codes.join('')}</ul>`);
  return `<h3>Answers</h3>${said.join('')}${errors}`;
}

/** The members of `data` and `meta`. Every success has them in the same envelope. */
function shownMembers(schema: NonNullable<Answer['schema']>, api: Api): readonly Member[] {
  const members = membersOfSchema(schema, api);
  return members.some(({ name }) => name === 'success')
    ? members.filter(({ name }) => name !== 'success')
    : members;
}

/** A request with examples of what it needs, and its answer; of a request to subscribers, its body. */
function sample(entry: ApiEntry): string {
  if (entry.isSent) return codeBlock(JSON.stringify(entry.body?.example, null, 2), 'json');
  const request = sampleOfEntry(entry);
  const codes = [curlCode(request), ...clientCode(request)];
  return sampleBlock(`sample-${entry.id}`, codes, request, answerOf(request));
}

/** A request of an operation, with examples of what it needs. */
export function sampleOfEntry(entry: ApiEntry): SampleRequest {
  const of = (place: string) => entry.parameters.filter((parameter) => parameter.in === place);
  return {
    entry,
    ids: of('path').map(({ example }) => String(example)),
    query: of('query').some(({ name }) => name === 'limit') ? { limit: '2' } : {},
    body: entry.body?.example,
  };
}
