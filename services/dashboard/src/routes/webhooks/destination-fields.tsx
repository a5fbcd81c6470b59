import { Anchor, Input, PasswordInput, SegmentedControl, Stack, TextInput } from '@mantine/core';
import type { Webhook } from '@sigcast/client';
import { useMissing } from '../../ui/use-missing.ts';
import { keysOf } from '../signals/signal-words.ts';
import { type Destination, needsToken } from './destination.ts';
import { kindWords, templateWords } from './webhook-words.ts';

/** The fields that say where events are sent. */
export function DestinationFields(props: {
  value: Destination;
  /** The webhook that is edited. */
  webhook: Webhook | undefined;
  errors: Readonly<Record<string, string | undefined>>;
  onChange: (value: Destination) => void;
}) {
  const { value, webhook, errors } = props;
  const editing = webhook !== undefined;
  const change = (changed: Partial<Destination>) => props.onChange({ ...value, ...changed });
  const kinds = keysOf(kindWords).map((kind) => ({ value: kind, label: kindWords[kind] }));
  return (
    <>
      {!editing && (
        <Choice
          label="Send to"
          data={kinds}
          value={value.kind}
          onChange={(kind) => change({ kind: kind as Destination['kind'] })}
        />
      )}
      {value.kind === 'telegram' ? (
        <TelegramFields
          value={value}
          editing={editing}
          tokenRequired={needsToken(value, webhook)}
          errors={errors}
          change={change}
        />
      ) : (
        <UrlField value={value} editing={editing} error={errors.url} change={change} />
      )}
      {value.kind !== 'webhook' && (
        <Choice
          label="Message"
          description={templateWords[value.template].means}
          data={keysOf(templateWords).map((one) => ({ value: one, label: templateWords[one].word }))}
          value={value.template}
          onChange={(template) => change({ template: template as Destination['template'] })}
        />
      )}
    </>
  );
}

function Choice(props: {
  label: string;
  description?: string;
  data: { value: string; label: string }[];
  value: string;
  onChange: (value: string) => void;
}) {
  const { label, description, ...rest } = props;
  return (
    <Input.Wrapper label={label} description={description} labelElement="div">
      <SegmentedControl fullWidth size="xs" mt={4} aria-label={label} {...rest} />
    </Input.Wrapper>
  );
}

type FieldProps = {
  value: Destination;
  editing: boolean;
  change: (changed: Partial<Destination>) => void;
};

const kept = 'Leave it empty to keep the present one.';

const addressTexts = {
  webhook: {
    description:
      'Sigcast sends events to this address by POST. Use https and a host that the internet can reach.',
    placeholder: 'https://example.com/sigcast',
  },
  slack: {
    description:
      'Add an incoming webhook to the channel in Slack, and copy its address. Whoever has it can write to the channel.',
    placeholder: 'https://hooks.slack.com/services/…',
  },
  discord: {
    description:
      'In the settings of the channel, under Integrations, make a webhook and copy its address. Whoever has it can write to the channel.',
    placeholder: 'https://discord.com/api/webhooks/…',
  },
} as const;

function UrlField({ value, editing, error, change }: FieldProps & { error: string | undefined }) {
  const missing = useMissing(value.url, error, 'Enter an address.');
  if (value.kind === 'telegram') return null;
  const { description, placeholder } = addressTexts[value.kind];
  const keeps = editing && value.kind !== 'webhook';
  return (
    <TextInput
      label="Address"
      description={keeps ? `${description} ${kept}` : description}
      type="url"
      placeholder={placeholder}
      data-autofocus
      autoComplete="off"
      value={value.url}
      onChange={(event) => change({ url: event.currentTarget.value })}
      {...missing}
      required={!keeps}
    />
  );
}

function TelegramFields({
  value,
  editing,
  tokenRequired,
  errors,
  change,
}: FieldProps & { tokenRequired: boolean; errors: Readonly<Record<string, string | undefined>> }) {
  return (
    <Stack gap="sm">
      <PasswordInput
        label="Bot token"
        description={
          <>
            <Anchor
              href="https://t.me/BotFather"
              target="_blank"
              rel="noreferrer"
              size="xs"
              underline="always"
            >
              @BotFather
            </Anchor>{' '}
            makes a bot and gives you its token. Add the bot to your group, or make it an administrator of
            your channel. {editing && 'Needed only to change the token, the chat or the topic.'}
          </>
        }
        autoComplete="off"
        value={value.token}
        onChange={(event) => change({ token: event.currentTarget.value })}
        {...useMissing(value.token, errors['telegram.bot_token'], 'Enter the token of your bot.')}
        required={tokenRequired}
      />
      <TextInput
        label="Chat"
        description="The name of a public channel or group, such as @channel, or its number, which getUpdates of your bot shows after a message."
        placeholder="-1001234567890"
        value={value.chat}
        onChange={(event) => change({ chat: event.currentTarget.value })}
        {...useMissing(value.chat, errors['telegram.chat_id'], 'Enter a chat.')}
        required={tokenRequired}
      />
      <TextInput
        label="Topic"
        description="Optional. The number of a topic of the group."
        inputMode="numeric"
        value={value.topic}
        onChange={(event) => change({ topic: event.currentTarget.value })}
        error={errors['telegram.message_thread_id']}
      />
    </Stack>
  );
}
