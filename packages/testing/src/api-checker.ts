import { openApiDocument } from '@sigcast/contracts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** An answer of the public API, as a client got it. */
export type ApiAnswer = {
  readonly method: string;
  /** With or without its query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
};

type Response = { readonly headers?: Readonly<Record<string, unknown>>; readonly content?: object };
type PathItem = Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>;

/** Headers that answers have for reasons of HTTP or of browsers; the document need not name them. */
const ordinaryHeaders =
  /^(content-(type|length|security-policy)|date|connection|keep-alive|transfer-encoding|cache-control|vary|set-cookie|strict-transport-security|referrer-policy|origin-agent-cluster|cross-origin-\w+-policy|x-(content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection))$/;

/** Says of each answer how it differs from what the OpenAPI document promises: nothing, if all is well. */
export function apiChecker(): (answer: ApiAnswer) => string[] {
  const document = openApiDocument('', { closed: true }) as {
    paths: Record<string, PathItem>;
    components: { headers: object };
  };
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'api');
  const validators = new Map<string, ValidateFunction>();
  const validator = (pointer: string): ValidateFunction => {
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `api#${pointer}` });
    validators.set(pointer, known);
    return known;
  };
  const templates = Object.keys(document.paths).map((template) => ({
    template,
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}/?$`),
  }));
  const documented = new Set(Object.keys(document.components.headers).map((name) => name.toLowerCase()));

  const bodyProblems = (pointer: string, { method, headers, body }: ApiAnswer): string[] => {
    if (method === 'HEAD') return body === '' ? [] : ['HEAD has a body'];
    if (!/^application\/json\b/.test(headers.get('content-type') ?? '')) return ['the body is not JSON'];
    try {
      const validate = validator(pointer);
      if (validate(JSON.parse(body))) return [];
      return (validate.errors ?? []).map((error) => `body${error.instancePath} ${error.message}`);
    } catch (error) {
      return [`the body can't be read: ${String(error)}`];
    }
  };

  return (answer) => {
    const { method, status, headers } = answer;
    const path = answer.path.split('?', 1)[0] ?? '';
    const problems: string[] = [];
    for (const name of headers.keys()) {
      if (!documented.has(name) && !ordinaryHeaders.test(name))
        problems.push(`header ${name} is not documented`);
    }
    const needed = (names: readonly string[]) => {
      for (const name of names) {
        if (name !== 'X-RateLimit-Degraded' && !headers.has(name)) problems.push(`header ${name} is missing`);
      }
    };
    const template = templates.find(({ pattern }) => pattern.test(path))?.template;
    const item = template === undefined ? undefined : document.paths[template];
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const response = item?.[verb]?.responses[String(status)];
    if (template !== undefined && response !== undefined) {
      needed(Object.keys(response.headers ?? {}));
      if (response.content === undefined) {
        if (answer.body !== '') problems.push('there is a body');
        return problems;
      }
      const escaped = template.replaceAll('/', '~1');
      const pointer = `/paths/${escaped}/${verb}/responses/${status}/content/application~1json/schema`;
      return [...problems, ...bodyProblems(pointer, answer)];
    }
    // What the document says in words: paths and methods that don't exist, and who may not even ask.
    const refusals = item?.[verb] === undefined ? [400, 401, 403, 404, 405, 413, 429] : [];
    if (!refusals.includes(status)) return [...problems, `status ${status} is not documented`];
    needed(['X-Request-Id']);
    if (status === 405) needed(['Allow']);
    if (status === 401) needed(['WWW-Authenticate']);
    if (status === 429) needed(['Retry-After']);
    return [...problems, ...bodyProblems('/components/schemas/Failure', answer)];
  };
}
