import { apiOperations, openApiDocument } from '@sigcast/contracts';

/** A JSON Schema of the API's document, as far as the reference shows it. */
export type Schema = {
  readonly $ref?: string | undefined;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
  readonly 'x-values'?: readonly string[];
};

/** A parameter of an operation. */
export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
};

/** What an operation answers with one status. */
export type Answer = {
  readonly status: number;
  readonly description: string;
  /** Of an error: its codes. */
  readonly codes: readonly string[];
  readonly type?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
};

/** An operation of the API, or a request that it sends to subscribers. */
export type ApiEntry = {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  /** Its path; of a request to subscribers, the event. */
  readonly path: string;
  readonly isSent: boolean;
  readonly summary: string;
  readonly description: string;
  /** What opens it: `apiKey`, `accessToken` or `refreshCookie`; empty where everybody may. */
  readonly credentials: readonly string[];
  /** The clients' group and method. */
  readonly call?: string | undefined;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly schema: Schema; readonly example: unknown } | undefined;
  readonly answers: readonly Answer[];
};

/** The API's document, in the order and form in which the reference shows it. */
export type Api = {
  readonly introduction: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly entries: readonly ApiEntry[];
  /** A schema without its reference. */
  resolve(schema: Schema): Schema;
};

type Content = Readonly<
  Record<string, { readonly schema: Schema; readonly example?: unknown; readonly examples?: object }>
>;
type Described = {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly object[];
  readonly parameters?: readonly (Parameter & Schema)[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<
    Record<
      string,
      { readonly $ref?: string | undefined; readonly description: string; readonly content?: Content }
    >
  >;
};
type Document = {
  readonly info: { readonly description: string };
  readonly tags: Api['tags'];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

const calls = new Map<string, string>(
  apiOperations.flatMap((operation) => ('call' in operation ? [[operation.id, operation.call]] : [])),
);

/** Reads the API's document. @param publicUrl the API's address, empty where it is not known. */
export function readApi(publicUrl: string): Api {
  const document = openApiDocument(publicUrl) as unknown as Document;
  const resolve = <T extends { readonly $ref?: string | undefined }>(value: T): T => {
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(value.$ref ?? '') ?? [];
    const found = document.components[kind]?.[name];
    return found === undefined ? value : { ...(found as T), ...value, $ref: undefined };
  };
  const bodyOf = (content: Content | undefined) => {
    const [[type, { schema, example }] = ['', { schema: {}, example: undefined }]] = Object.entries(
      content ?? {},
    );
    return { type, schema, example: example ?? resolve(schema).examples?.[0] };
  };
  const entry =
    (path: string, isSent: boolean) =>
    ([method, described]: [string, Described]): ApiEntry => ({
      id: described.operationId,
      tag: described.tags[0],
      method: method.toUpperCase(),
      path,
      isSent,
      summary: described.summary,
      description: described.description,
      credentials: described.security.flatMap((one) => Object.keys(one)),
      call: calls.get(described.operationId),
      parameters: (described.parameters ?? []).map(resolve),
      body: described.requestBody && bodyOf(described.requestBody.content),
      answers: Object.entries(described.responses).map(([status, response]) => {
        const { description, content } = resolve(response);
        const codes =
          Number(status) < 400 ? [] : Object.keys(Object.values(content ?? {})[0]?.examples ?? {});
        return { status: Number(status), description, codes, ...(content !== undefined && bodyOf(content)) };
      }),
    });
  const entries = (items: Document['paths'], isSent: boolean) =>
    Object.entries(items).flatMap(([path, item]) => Object.entries(item).map(entry(path, isSent)));
  return {
    introduction: document.info.description,
    tags: document.tags,
    entries: [...entries(document.paths, false), ...entries(document.webhooks, true)],
    resolve,
  };
}
