import { find, type Schema } from './schema.ts';
import { takenBy } from './taken-by.ts';
import type { Break } from './wording.ts';

/** Parts of a document by their names. */
export type Named = Readonly<Record<string, Schema>>;

export type Parameter = Schema & {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
};

/** One operation in both releases, each with the document that its references lead into. */
export type Pair = {
  readonly was: Schema;
  readonly is: Schema;
  readonly released: Schema;
  readonly present: Schema;
  /** `GET /v1/signals` */
  readonly name: string;
};

/** What changed in bodies: of `requests` a client sends to us, of `answers` it gets. */
export function compareContents(
  { released, present }: Pair,
  before: Named,
  now: Named,
  { direction, where }: { direction: 'requests' | 'answers'; where: string },
): Break[] {
  return Object.entries(before).flatMap(([type, content]) => {
    const same = now[type];
    if (same === undefined) {
      const whom =
        direction === 'requests' ? 'requests that use it are refused' : 'clients that read it break';
      return [{ where, what: `media type \`${type}\` was removed`, whom }];
    }
    const one = { schema: content.schema as Schema, root: released };
    const other = { schema: same.schema as Schema, root: present };
    const called = (path: string) => (path === '' ? 'the body' : `field \`${path}\``);
    const tell = { direction, where, called };
    return direction === 'requests' ? takenBy(one, other, tell) : takenBy(other, one, tell);
  });
}

/** The content of a body or an answer, by media type. */
export function contentOf(holder: unknown): Named {
  return ((holder as Schema | undefined)?.content ?? {}) as Named;
}

export function parametersOf(operation: Schema, document: Schema): readonly Parameter[] {
  return ((operation.parameters ?? []) as Schema[]).map((one) => resolve(one, document) as Parameter);
}

/** A part of a document, or what it refers to. */
export function resolve(part: Schema, document: Schema): Schema {
  return part.$ref === undefined ? part : find(String(part.$ref), document);
}
