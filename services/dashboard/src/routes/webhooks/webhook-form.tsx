import { Checkbox, MultiSelect, Stack, TextInput } from '@mantine/core';
import type { SignalType, SubscribableEvent, Webhook } from '@sigcast/client';
import { useState } from 'react';
import { ApiError } from '../../api/http.ts';
import { useAction } from '../../api/use-action.ts';
import { DialogForm } from '../../ui/action-form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Mono } from '../../ui/mono.tsx';
import { FilterBuilder } from '../filters/filter-builder.tsx';
import type { Filter } from '../filters/filter-rows.ts';
import { keysOf, typeWords } from '../signals/signal-words.ts';
import { destinationBody, destinationOf, isNoAddress } from './destination.ts';
import { DestinationFields } from './destination-fields.tsx';
import { eventWords } from './webhook-words.ts';

/** The content of the form. */
type WebhookFields = ReturnType<typeof destinationBody> & {
  description?: string;
  events: SubscribableEvent[];
  ordered?: boolean;
  batch?: NonNullable<Webhook['batch']> | null;
  filter: Filter | null;
  /** Absent: all events, also those of future versions. */
  types?: SignalType[];
};

/** Which events a webhook gets. An empty list: the usual ones. */
export type Choice = {
  readonly events: readonly SubscribableEvent[];
  readonly types: readonly SignalType[];
  readonly filter: Filter | null;
};

type Props = {
  opened: boolean;
  /** Of a new webhook. */
  initial?: Choice;
  title: string;
  verb: string;
  webhook?: Webhook;
  onClose: () => void;
  onSubmit: (fields: WebhookFields) => Promise<void>;
};

const allTypes = keysOf(typeWords);
const usualEvents: readonly SubscribableEvent[] = ['signal.new', 'signal.winner'];
/** How events are put together where nobody has chosen other figures by the API. */
const usualBatch = { max: 100, wait_ms: 1_000 };

/** Asks for a webhook's address and events. The API checks the fields. */
export function WebhookForm(props: Props) {
  return (
    <FormDialog opened={props.opened} onClose={props.onClose} title={props.title} size="lg">
      <Form {...props} />
    </FormDialog>
  );
}

function Form({ webhook, initial, verb, onClose, onSubmit }: Props) {
  const editing = webhook !== undefined;
  const [destination, setDestination] = useState(destinationOf(webhook));
  const [description, setDescription] = useState(webhook?.description ?? '');
  const given = webhook ?? initial;
  const [events, setEvents] = useState<string[]>([...(given?.events.length ? given.events : usualEvents)]);
  const [ordered, setOrdered] = useState(webhook?.ordered ?? false);
  const [together, setTogether] = useState(Boolean(webhook?.batch));
  const chosen = given?.types ?? [];
  const [types, setTypes] = useState<string[]>(chosen.length === allTypes.length ? [] : [...chosen]);
  const [filter, setFilter] = useState<Filter | null | undefined>(given?.filter ?? null);
  const save = useAction(async () => {
    if (isNoAddress(destination)) {
      const message = 'Enter a full address, such as https://example.com/hook.';
      throw new ApiError(400, { message, details: [{ field: 'url', message }] });
    }
    await onSubmit({
      ...destinationBody(destination, editing),
      ...((description !== '' || webhook !== undefined) && { description }),
      events: events as SubscribableEvent[],
      // Chats are always ordered, and put events together by themselves.
      ...(destination.kind === 'webhook' && {
        ordered,
        ...(ordered && together && { batch: webhook?.batch ?? usualBatch }),
        ...(!(ordered && together) && editing && { batch: null }),
      }),
      filter: filter ?? null,
      ...(types.length > 0 && { types: types as SignalType[] }),
      ...(types.length === 0 && webhook !== undefined && { types: allTypes }),
    });
    onClose();
  }, [
    'url',
    'description',
    'events',
    'types',
    'telegram.bot_token',
    'telegram.chat_id',
    'telegram.message_thread_id',
  ]);
  return (
    <DialogForm
      action={save}
      verb={verb}
      // The conditions say what is missing.
      disabled={filter === undefined}
      onSubmit={() => void save.run()}
      onClose={onClose}
    >
      <DestinationFields
        value={destination}
        webhook={webhook}
        errors={save.fields}
        onChange={setDestination}
      />
      <Checkbox.Group label="Events" required value={events} onChange={setEvents} error={save.fields.events}>
        <Stack gap="xs" mt="xs">
          {keysOf(eventWords).map((event) => (
            <Checkbox
              key={event}
              value={event}
              label={<Mono>{event}</Mono>}
              description={eventWords[event]}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <MultiSelect
        label="Signal types"
        placeholder={types.length === 0 ? 'All types' : ''}
        data={allTypes.map((value) => ({ value, label: typeWords[value] }))}
        value={types}
        onChange={setTypes}
        withScrollArea={false}
        error={save.fields.types}
      />
      <FilterBuilder
        initial={given?.filter ?? null}
        description="Send only events whose signal meets all conditions. Events about webhooks always come."
        events={events}
        types={types}
        onChange={setFilter}
      />
      {destination.kind === 'webhook' && (
        <Checkbox
          label="Keep the order"
          description="Send one event at a time. Later events wait until the earlier event is delivered or has failed."
          checked={ordered}
          onChange={(event) => setOrdered(event.currentTarget.checked)}
        />
      )}
      {destination.kind === 'webhook' && ordered && (
        <Checkbox
          label="Send waiting events together"
          description={`Up to ${(webhook?.batch ?? usualBatch).max} events come in one request, as an array. Your receiver must expect this.`}
          checked={together}
          onChange={(event) => setTogether(event.currentTarget.checked)}
        />
      )}
      <TextInput
        label="Description"
        description="Optional. A note for yourself."
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        error={save.fields.description}
      />
    </DialogForm>
  );
}
