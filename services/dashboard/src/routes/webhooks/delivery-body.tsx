import { Text } from '@mantine/core';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Json } from '../../ui/json.tsx';
import { PanelPart } from '../../ui/panel.tsx';

/** The body of a delivery, formatted for reading. It is copied as the bytes that are sent. */
export function DeliveryBody({ body }: { body: string | null }) {
  return (
    <PanelPart title="Request body" actions={body !== null && <CopyButton text={body}>Copy body</CopyButton>}>
      {body === null ? (
        <Text size="sm" c="dimmed">
          The event is older than 30 days, so its body is no longer kept.
        </Text>
      ) : (
        <>
          <Json text={readable(body)} />
          <Text size="xs" c="dimmed" mt="xs">
            Formatted for reading. Every attempt sends the same bytes, without these line breaks.
          </Text>
        </>
      )}
    </PanelPart>
  );
}

function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
