import { openApiDocument } from '@sigcast/contracts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** An answer of the public API. */
export type ApiAnswer = {
  readonly method: string;
  /** With or without its query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
};

type Reference = { readonly $ref: string };
type Header = { readonly required?: boolean; readonly schema: { readonly type?: string } };
type Response = {
  readonly headers?: Readonly<Record<string, Reference | Header>>;
  readonly content?: object;
};
type Responses = Readonly<Record<string, Response | Reference>>;
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Responses }>>>>;
  readonly 'x-unlisted-responses': Readonly<Record<string, Responses>>;
  readonly components: {
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
};

/** General headers of HTTP, browsers and proxies, which the document need not name. */
const ordinaryHeaders =
  /^(content-(type|length|encoding|security-policy)|access-control-[\w-]+|date|connection|keep-alive|transfer-encoding|cache-control|vary|strict-transport-security|referrer-policy|origin-agent-cluster|cross-origin-\w+-policy|x-(accel-buffering|content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection))$/;

/** The headers that the gateway adds to answers of services. */
const gatewayHeaders = /^(x-)?ratelimit/;

/**
 * Returns a function that lists how an answer differs from the OpenAPI document: an empty list when it does not.
 * @param behindGateway for answers of a service, which do not have the gateway's headers yet.
 */
export function apiChecker({ behindGateway = false } = {}): (answer: ApiAnswer) => string[] {
  const checker = new ApiChecker(behindGateway);
  return (answer) => checker.problems(answer);
}

/** The key of `x-unlisted-responses` for a path that the document does not list. */
function prefixOf(path: string): string {
  return /^\/v1(\/|$)/.test(path) ? '/v1' : '/';
}

class ApiChecker {
  // Closed: a member that the document does not name is an error.
  readonly #document = openApiDocument('', { closed: true }) as Document;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #templates: readonly { template: string; pattern: RegExp }[];

  readonly #behindGateway: boolean;

  constructor(behindGateway: boolean) {
    this.#behindGateway = behindGateway;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(this.#document, 'api');
    this.#templates = Object.keys(this.#document.paths).map((template) => ({
      template,
      pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
    }));
  }

  problems(answer: ApiAnswer): string[] {
    const found = this.#responseTo(answer);
    if (found === undefined) return [`status ${answer.status} is not documented`];
    const { response, pointer } = found;
    const problems = this.#headerProblems(found, answer.headers);
    if (answer.method === 'HEAD' || response.content === undefined) {
      return answer.body === '' ? problems : [...problems, 'there is a body'];
    }
    const type = answer.headers.get('content-type') ?? '';
    if (!('application/json' in response.content)) {
      const isDocumented = (type.split(';', 1)[0] ?? '') in response.content;
      return isDocumented ? problems : [...problems, `the body is ${type || 'untyped'}`];
    }
    return [...problems, ...this.#bodyProblems(`${pointer}/content/application~1json/schema`, answer)];
  }

  /** The documented response to an answer, and its JSON pointer. */
  #responseTo({
    method,
    path: target,
    status,
  }: ApiAnswer): { response: Response; pointer: string } | undefined {
    const [path = ''] = target.split('?', 1);
    const { paths, components } = this.#document;
    const template = this.#templates.find(({ pattern }) => pattern.test(path))?.template;
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = template === undefined ? undefined : paths[template]?.[verb];
    const responses = operation?.responses ?? this.#unlisted(path);
    const response = responses[String(status)];
    if (response === undefined) return undefined;
    if ('$ref' in response) {
      const name = response.$ref.slice('#/components/responses/'.length);
      const shared = components.responses[name];
      return shared && { response: shared, pointer: response.$ref.slice(1) };
    }
    const escaped = (text = '') => text.replaceAll('/', '~1');
    const place =
      operation === undefined
        ? `/x-unlisted-responses/${escaped(prefixOf(path))}`
        : `/paths/${escaped(template)}/${verb}/responses`;
    return { response, pointer: `${place}/${status}` };
  }

  #unlisted(path: string): Responses {
    const unlisted = this.#document['x-unlisted-responses'];
    return unlisted[prefixOf(path)] ?? {};
  }

  #headerProblems(
    { response, pointer }: { response: Response; pointer: string },
    headers: Headers,
  ): string[] {
    const problems: string[] = [];
    const documented = new Map(
      Object.entries(response.headers ?? {}).map(([name, header]) => [
        name.toLowerCase(),
        '$ref' in header
          ? { header: this.#sharedHeader(header), at: header.$ref.slice(1) }
          : { header, at: `${pointer}/headers/${name}` },
      ]),
    );
    for (const name of headers.keys()) {
      if (!documented.has(name) && !ordinaryHeaders.test(name))
        problems.push(`header ${name} is not documented`);
    }
    for (const [name, { header, at }] of documented) {
      const { required, schema } = header;
      const value = headers.get(name);
      if (value === null) {
        if (required && !(this.#behindGateway && gatewayHeaders.test(name)))
          problems.push(`header ${name} is missing`);
        continue;
      }
      const validate = this.#validator(`${at}/schema`);
      const isWhole = schema.type === 'integer' && /^\d+$/.test(value);
      if (!validate(isWhole ? Number(value) : value))
        problems.push(`header ${name} has a wrong value: ${value}`);
    }
    return problems;
  }

  #sharedHeader({ $ref }: Reference): Header {
    return this.#document.components.headers[$ref.slice('#/components/headers/'.length)] ?? { schema: {} };
  }

  #bodyProblems(pointer: string, { headers, body }: ApiAnswer): string[] {
    if (!/^application\/json\b/.test(headers.get('content-type') ?? '')) return ['the body is not JSON'];
    let parsed: { error?: { request_id?: unknown; retry_after?: unknown } };
    try {
      parsed = JSON.parse(body) as typeof parsed;
    } catch (error) {
      return [`the body can't be read: ${String(error)}`];
    }
    const validate = this.#validator(pointer);
    if (!validate(parsed)) {
      return (validate.errors ?? []).map(
        ({ instancePath, message, params }) => `body${instancePath} ${message} ${JSON.stringify(params)}`,
      );
    }
    // The body repeats two headers: their values must be equal.
    const { request_id: id, retry_after: seconds } = parsed.error ?? {};
    return [
      ...(id === undefined || id === headers.get('x-request-id')
        ? []
        : ['error.request_id is not X-Request-Id']),
      ...(seconds === undefined || String(seconds) === headers.get('retry-after')
        ? []
        : ['error.retry_after is not Retry-After']),
    ];
  }

  #validator(pointer: string): ValidateFunction {
    const known = this.#validators.get(pointer) ?? this.#ajv.compile({ $ref: `api#${pointer}` });
    this.#validators.set(pointer, known);
    return known;
  }
}
