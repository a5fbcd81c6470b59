import { Alert, Button, Modal, Stack } from '@mantine/core';
import { IconDownload, IconEye } from '@tabler/icons-react';
import { Copyable } from '../../../ui/copyable.tsx';

/** Shows recovery codes for the only time. Only its button closes it, so that nobody closes it by accident. */
export function RecoveryCodes(props: { codes: readonly string[] | undefined; onClose: () => void }) {
  const text = (props.codes ?? []).join('\n');
  return (
    <Modal
      opened={props.codes !== undefined}
      onClose={props.onClose}
      title="Your recovery codes"
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="yellow" icon={<IconEye />}>
          This is the only time you can see these codes. Store them where you keep passwords. Each signs in
          once, when your phone is lost.
        </Alert>
        <Copyable text={text} label="Recovery codes" focused />
        <Button variant="default" leftSection={<IconDownload size={16} />} onClick={() => download(text)}>
          Download
        </Button>
        <Button onClick={props.onClose}>I have stored them</Button>
      </Stack>
    </Modal>
  );
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/plain' }));
  const link = Object.assign(document.createElement('a'), {
    href: url,
    download: 'sigcast-recovery-codes.txt',
  });
  link.click();
  URL.revokeObjectURL(url);
}
