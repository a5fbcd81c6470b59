/** A schema of the API document: the part of JSON Schema that the document uses. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  /** The values of a text that is a list separated by commas. */
  readonly 'x-values'?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | boolean;
};

type Content = { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> };

export type Parameter = { readonly name?: string; readonly in?: string; readonly schema?: Schema };

export type Operation = {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
};

/** The parts of an OpenAPI document that the generator reads. */
export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** The name of the component that a schema refers to. */
export function refOf({ $ref }: Schema): string | undefined {
  return $ref?.split('/').at(-1);
}
