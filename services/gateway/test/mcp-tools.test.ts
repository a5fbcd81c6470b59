import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { apiTools, listedSignalSchema, sampleOf } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';

const validator = new AjvJsonSchemaValidator();

describe.each(apiTools())('the tool $name', ({ operation, inputSchema, outputSchema }) => {
  it('promises the answer of its operation, and takes an object', () => {
    expect([inputSchema.type, outputSchema.type]).toEqual(['object', 'object']);
    if (operation.answer === undefined) throw new Error('a tool needs an answer');
    expect(validator.getValidator(outputSchema)(sampleOf(operation.answer))).toMatchObject({ valid: true });
    expect(validator.getValidator(outputSchema)({ success: true })).toMatchObject({ valid: false });
    expect(validator.getValidator(inputSchema)([])).toMatchObject({ valid: false });
    expect(validator.getValidator(inputSchema)({ unknown: 1 })).toMatchObject({ valid: false });
  });
});

it('each member of a signal is in the output of list_signals, also one that is added', () => {
  const tool = apiTools().find(({ name }) => name === 'list_signals');
  if (tool === undefined) throw new Error('there is no list_signals');
  const { SignalListItem } = tool.outputSchema.$defs as Record<string, { properties: object }>;
  expect(Object.keys(SignalListItem?.properties ?? {})).toEqual(Object.keys(listedSignalSchema.shape));
});
