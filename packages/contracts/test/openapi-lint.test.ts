import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../src/index.ts';

const document = JSON.stringify(openApiDocument('https://api.example.test'));

describe('the OpenAPI document', () => {
  it('the OpenAPI document passes the recommended rules of Redocly without a warning or an exception', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: document, config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('the OpenAPI document passes the recommended rules of Spectral without a warning or an exception', async () => {
    const spectral = new spectralCore.Spectral();
    spectral.setRuleset({ extends: [[spectralRulesets.oas as RulesetDefinition, 'recommended']] });
    const problems = await spectral.run(JSON.parse(document) as Record<string, unknown>);
    expect(problems.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
  });

  it('Redocly reports a document with an operation that has no id', async () => {
    const broken = document.replace('"operationId":"listSignals",', '');
    const config = await createConfig({ extends: ['recommended'] });
    expect(await lintFromString({ source: broken, config })).not.toEqual([]);
  });
});
