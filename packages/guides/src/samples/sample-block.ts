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
  const lines = html.split('\n');
  const shown = language === 'sh' ? linesOf(lines) : `${html}\n`;
  const kind = tab === undefined ? '' : ` data-tab="${tab}"`;
  const long = lines.length > mostLines ? ' long' : '';
  return `<div class="code${long}" data-language="${language}"${kind}><pre tabindex="0"><code>${shown}</code></pre></div>\n`;
}

/** The lines that an answer may have to be shown whole at first. */
const mostLines = 18;

/** Lines of highlighted code, each an element of its own, so that what is wrapped can be indented. */
function linesOf(lines: readonly string[]): string {
  const open: string[] = [];
  const elements = lines.map((line) => {
    const before = open.join('');
    for (const tag of line.match(/<span[^>]*>|<\/span>/g) ?? []) {
      if (tag === '</span>') open.pop();
      else open.push(tag);
    }
    return `<span class="line">${before}${line}${'</span>'.repeat(open.length)}\n</span>`;
  });
  return elements.join('');
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
const changing = new Set([
  ...['include', 'type', 'status', 'as_of', 'page', 'filter', 'events', 'after', 'cursor'],
]);

/**
 * An example of the answer to a request, with the values that the request sets; nothing where the operation's example has
 * another form.
 */
export function answerOf({ entry, query, body }: SampleRequest): Answer | undefined {
  const answer = entry.answers.find(({ status }) => status < 300);
  if (answer?.example === undefined || Object.keys(query).some((name) => changing.has(name)))
    return undefined;
  if (!isObject(answer.example)) return answer;
  const { data, meta } = answer.example;
  const set = { ...query, ...(body as object | undefined) };
  const isPage = isObject(meta) && 'per_page' in meta && query.limit !== undefined;
  const example = {
    ...answer.example,
    // A member of an account may have the name of one that a session sets, and mean another.
    ...(entry.credentials.includes('apiKey') && { data: repeating(data, set) }),
    ...(isPage && { meta: { ...meta, per_page: Number(query.limit) } }),
  };
  return { ...answer, example };
}

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value whose members, and those of `parameters` in it, are as the request sets them. What a variable sets stays. */
function repeating(value: unknown, set: Members): unknown {
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => {
    if (name === 'parameters') return [name, repeating(member, set)];
    const given = set[name];
    if (given === undefined || (typeof given === 'string' && given.startsWith('$'))) return [name, member];
    return [name, isObject(given) && isObject(member) ? repeating(member, given) : given];
  });
  return Object.fromEntries(members) as Members;
}
