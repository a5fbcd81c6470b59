import type { Member, Model, Type } from './model.ts';

/** A call of a client with everything that it can be given. */
export type SampleCall = {
  readonly group: string;
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly ids: readonly string[];
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
};

/** Every call of a model. */
export function samplesOf(model: Model): SampleCall[] {
  return model.groups.flatMap(({ name: group, calls }) =>
    calls.map(({ name, method, path, ids, query, body }) => ({
      group,
      name,
      method,
      path,
      ids: ids.map((id) => `${id}:1`),
      ...(query.length > 0 && { query: objectOf(query, model) }),
      ...(body !== undefined && { body: objectOf(body.members, model) }),
    })),
  );
}

function objectOf(members: readonly Member[], model: Model): Record<string, unknown> {
  return Object.fromEntries(members.map(({ name, type }) => [name, sampleOf(type, model)]));
}

function sampleOf(type: Type, model: Model): unknown {
  switch (type.kind) {
    case 'text':
    case 'unknown':
      return 'text';
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'instant':
      return '1970-01-01T00:00:00.000Z';
    case 'values':
      return type.values[0];
    case 'list':
    case 'several':
    case 'oneOrMore':
      return [sampleOf(type.of, model)];
    case 'record':
      return {};
    case 'union':
      return type.of[0] && sampleOf(type.of[0], model);
    case 'name': {
      const named = model.types.find(({ name }) => name === type.name);
      if (named === undefined) throw new Error(`there is no type ${type.name}`);
      return 'values' in named ? named.values[0] : objectOf(named.members, model);
    }
  }
}
