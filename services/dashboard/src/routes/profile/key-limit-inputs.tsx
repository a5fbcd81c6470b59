import { Checkbox, NumberInput, Radio, Stack, Textarea } from '@mantine/core';
import { type ApiScope, apiScopeNames, apiScopes } from '@sigcast/contracts';
import { type KeyLimitFields, networksProblem } from './key-limits.ts';

/** What a key may be used for, from where, and for how many requests a minute. */
export function KeyLimitInputs(props: {
  fields: KeyLimitFields;
  /** What is wrong with each field, as the service says. */
  problems: Readonly<Record<string, string>>;
  onChange: (fields: KeyLimitFields) => void;
}) {
  const { fields, problems } = props;
  const change = (changed: Partial<KeyLimitFields>) => props.onChange({ ...fields, ...changed });
  return (
    <>
      <Radio.Group
        label="Permissions"
        description="Give a key only what its program needs."
        value={fields.all ? 'all' : 'some'}
        onChange={(value) => change({ all: value === 'all' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="all" label="Everything" />
          <Radio value="some" label="Only what is selected" />
        </Stack>
      </Radio.Group>
      {!fields.all && (
        <Checkbox.Group
          aria-label="Scopes"
          value={[...fields.scopes]}
          onChange={(scopes) => change({ scopes: scopes as ApiScope[] })}
          error={problems.scopes}
        >
          <Stack gap="xs">
            {apiScopeNames.map((scope) => (
              <Checkbox key={scope} value={scope} label={scope} description={apiScopes[scope]} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      <Textarea
        label="Networks"
        description="One in each line. Leave empty to allow every address."
        placeholder="203.0.113.0/24"
        autosize
        minRows={1}
        maxRows={6}
        value={fields.networks}
        onChange={(event) => change({ networks: event.currentTarget.value })}
        error={networksProblem(problems, fields.networks)}
      />
      <NumberInput
        label="Requests a minute"
        description="A lower limit for this key. Empty: the limit of your account."
        allowNegative={false}
        allowDecimal={false}
        hideControls
        value={fields.perMinute}
        onChange={(value) => change({ perMinute: String(value) })}
        error={problems.requests_per_minute}
      />
    </>
  );
}
