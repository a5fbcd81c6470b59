import type { Answer } from '../api.ts';
import { escapeHtml } from '../escape.ts';
import { highlight } from '../highlight.ts';
import type { Code } from './languages.ts';
import { json, printValue } from './print-value.ts';
import type { SampleRequest } from './request.ts';

/** The forms in which samples name the reader's key, each with the quotes that a key has in its place. */
const keyForms: readonly (readonly [form: string, quote: string])[] = [
  ["process.env.SIGCAST_API_KEY ?? ''", "'"],
  ['os.environ["SIGCAST_API_KEY"]', '"'],
  ['$SIGCAST_API_KEY', ''],
];

/** A word that no sample has and that is left alone by highlighting. */
const keyToken = 'KEY0KEY';

/** A block of code. Where it names the reader's key, a script can fill it in. */
export function codeBlock(text: string, language: string, tab?: string): string {
  const [form, quote] = keyForms.find(([one]) => text.includes(one)) ?? [];
  const marked = form === undefined ? text : text.replaceAll(form, keyToken);
  const key = `<span class="key" data-quote="${escapeHtml(quote ?? '')}">${escapeHtml(form ?? '')}</span>`;
  const html = highlight(marked.trimEnd(), language).replaceAll(keyToken, key);
  const kind = tab === undefined ? '' : ` data-tab="${tab}"`;
  return `<div class="code" data-language="${language}"${kind}><pre tabindex="0"><code>${html}\n</code></pre></div>\n`;
}

/**
 * A request in several languages, of which one is shown, and what it is answered. The tabs are radio buttons, so they need no script.
 * @param id is on the page once.
 */
export function sampleBlock(
  id: string,
  codes: readonly Code[],
  request: SampleRequest,
  answer?: Answer,
): string {
  const tabs = codes.map(
    ({ name }, at) =>
      `<label><input type="radio" name="${id}" value="${name}"${at === 0 ? ' checked' : ''}>${name}</label>`,
  );
  const blocks = codes.map(({ name, language, text }) => codeBlock(text, language, name));
  const switched =
    tabs.length < 2
      ? blocks.join('')
      : `<fieldset class="tabs"><legend>Language</legend>${tabs.join('')}</fieldset>\n${blocks.join('')}`;
  return `<div class="sample"${runnable(request)}>\n${switched}${answer === undefined ? '' : answerBlock(answer)}</div>\n`;
}

function answerBlock({ status, type, example }: Answer): string {
  if (example === undefined) return '';
  const text = typeof example === 'string' ? example : printValue(example, json);
  const language = type === 'application/json' ? 'json' : 'text';
  return `<div class="answer"><p>Answer <b>${status}</b></p>${codeBlock(text, language)}</div>\n`;
}

/** Where a script can try the request: it reads, and needs nothing but a key. */
function runnable({ entry, ids, query }: SampleRequest): string {
  const isSafe =
    entry.method === 'GET' && entry.credentials.includes('apiKey') && entry.id !== 'streamEvents';
  if (!isSafe || entry.path.includes('{') || ids.length > 0) return '';
  const search = new URLSearchParams(query).toString();
  return ` data-run="${escapeHtml(entry.path + (search && `?${search}`))}"`;
}

/** Parameters that change what an answer has, so that the operation's own example is not one of it. */
const changing = new Set(['include', 'type', 'as_of', 'page', 'filter', 'events', 'after', 'cursor']);

/** An example of the answer to a request; nothing where the operation's example has another form. */
export function answerOf({ entry, query }: SampleRequest): Answer | undefined {
  const answer = entry.answers.find(({ status }) => status < 300);
  if (answer?.example === undefined || Object.keys(query).some((name) => changing.has(name)))
    return undefined;
  const { example } = answer;
  const { meta } = example as { readonly meta?: { readonly per_page?: number } };
  if (meta?.per_page === undefined || query.limit === undefined) return answer;
  return { ...answer, example: { ...(example as object), meta: { ...meta, per_page: Number(query.limit) } } };
}
