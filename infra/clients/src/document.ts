import type { Operation } from '@sigcast/contracts';

/** A schema of the API document: the part of JSON Schema that the document uses. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  /** The values of a text that is a list separated by commas. */
  readonly 'x-values'?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | boolean;
};

type Content = {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
};

type Parameter = {
  readonly name?: string;
  readonly in?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly schema?: Schema;
};

type PathItem = {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses?: Readonly<Record<string, Content>>;
};

type PathItems = Readonly<Record<string, Readonly<Record<string, PathItem>>>>;

/** The parts of the API document that clients are made of. */
export type ApiDocument = {
  readonly paths: PathItems;
  readonly webhooks: PathItems;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** The parts of an operation that the document does not have. */
export type NamedOperation = Pick<Operation, 'method' | 'path' | 'id' | 'call' | 'idempotent' | 'errors'>;

/** The schema of a JSON body. */
export function jsonOf(content: Content | undefined): Schema | undefined {
  return content?.content?.['application/json']?.schema;
}

/** The name of the component that a schema refers to. */
export function refOf({ $ref }: Schema): string | undefined {
  return $ref?.split('/').at(-1);
}
