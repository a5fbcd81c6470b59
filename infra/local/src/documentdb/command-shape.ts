import { ARRAY, DOCUMENT, type Element, elements, find, flag, text, visitOperators } from './bson-scan.ts';
import { batchDocuments, type Command } from './command.ts';
import { genericArguments, stableCommands, stableOperators, stableStages } from './stable-api.ts';

/** The commands that are lists of statements with options of their own, and the field with the list. */
const statementsOf: Readonly<Record<string, string>> = {
  createIndexes: 'indexes',
  delete: 'deletes',
  update: 'updates',
};

/** The options that hold operators. All other options are data, or have only names that the services chose. */
const withOperators: ReadonlySet<string> = new Set([
  ...['filter', 'query', 'q', 'u', 'update', 'projection', 'fields', 'arrayFilters'],
  'partialFilterExpression',
]);

/**
 * The shape of a command, as lines without values and without names that the services chose: its options
 * (`update options ordered updates updates.q updates.u`), the stages of its pipeline
 * (`aggregate pipeline $match $group`), and each operator (`find operator $gte`).
 */
export function shapeOf(command: Command): string[] {
  const { name, body } = command;
  const operators = new Set<string>();
  const note = (operator: string) => operators.add(operator);
  const options: string[] = [];
  const lines = new Set<string>();
  const statements = statementsOf[name];
  let pipeline: Buffer | undefined;
  for (const element of elements(body)) {
    const { name: option } = element;
    if (option === name || option === statements || genericArguments.has(option)) continue;
    const value = contentOf(body, element);
    options.push(...inside(option, value));
    if (option === 'pipeline' && value) pipeline = value;
    if (value && withOperators.has(option)) visitOperators(value, note);
  }
  if (command.sequence && command.sequence.field !== statements) options.push(command.sequence.field);
  if (statements === undefined) lines.add(optionLine(name, options));
  else {
    for (const statement of batchDocuments(command, statements)) {
      const own = [...elements(statement)];
      for (const element of own) {
        const value = contentOf(statement, element);
        if (value && withOperators.has(element.name)) visitOperators(value, note);
      }
      const inner = own.map((element) => `${statements}.${element.name}`);
      lines.add(optionLine(name, [...options, statements, ...inner]));
    }
  }
  if (pipeline) lines.add(`${name} pipeline ${stagesOf(pipeline, note).join(' ')}`);
  for (const operator of operators) lines.add(`${name} operator ${operator}`);
  return [...lines];
}

function optionLine(name: string, options: readonly string[]): string {
  return [name, 'options', ...options.toSorted()].join(' ');
}

/** The document or array in an element; undefined for other values. */
function contentOf(document: Buffer, { type, start, end }: Element): Buffer | undefined {
  return type === DOCUMENT || type === ARRAY ? document.subarray(start, end) : undefined;
}

/** The name of an option, and the names inside where MongoDB defines them. */
function inside(option: string, value: Buffer | undefined): string[] {
  if (!value) return [option];
  if (option === 'cursor') return [option, ...[...elements(value)].map(({ name }) => `cursor.${name}`)];
  if (option === 'readConcern') return [`readConcern=${text(value, 'level') ?? 'unset'}`];
  if (option === 'writeConcern') {
    const journal = flag(value, 'j') ? '+journal' : '';
    const bounded = find(value, 'wtimeout') ? '+wtimeout' : '';
    return [`writeConcern=${text(value, 'w') ?? 'a number'}${journal}${bounded}`];
  }
  return [option];
}

/** The stages of a pipeline in order. The stages of a pipeline inside a stage are in brackets. Notes each operator. */
function stagesOf(pipeline: Buffer, note: (operator: string) => void): string[] {
  const stages: string[] = [];
  for (const stage of elements(pipeline)) {
    const document = contentOf(pipeline, stage);
    const [named] = document ? elements(document) : [];
    if (!document || !named) continue;
    const value = contentOf(document, named);
    const inner = value && find(value, 'pipeline');
    const innerStages = value && inner && contentOf(value, inner);
    if (innerStages) stages.push(`${named.name}[${stagesOf(innerStages, note).join(' ')}]`);
    else {
      stages.push(named.name);
      if (value) visitOperators(value, note);
    }
  }
  return stages;
}

/** The part of a line of `shapeOf` that is outside of the Stable API; undefined when the whole line is inside. */
export function outsideStableApi(line: string): string | undefined {
  const [command = '', kind, ...rest] = line.split(' ');
  const known = stableCommands.get(command);
  if (!known) return `the command ${command}`;
  const names = rest.join(' ');
  if (kind === 'operator') return stableOperators.has(names) ? undefined : `the operator ${names}`;
  if (kind === 'pipeline') {
    const stage = names.split(/[ [\]]+/).find((each) => each !== '' && !stableStages.has(each));
    return stage && `the stage ${stage}`;
  }
  const unknown = rest.find((option) => !known.has(option) && !/^(read|write)Concern=/.test(option));
  return unknown && `the option ${unknown} of ${command}`;
}
