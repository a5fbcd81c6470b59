import { Alert, Button, Group, Text } from '@mantine/core';
import { useMailSettings } from '../../api/queries.ts';
import { useAccount } from '../../api/session-context.tsx';
import { Problem } from '../../ui/problem.tsx';
import { useConfirmationMail } from '../../ui/use-confirmation-mail.ts';

/** Asks an account's holder to confirm the address, where that can be done by mail and is yet to be done. */
export function ConfirmAddress() {
  const { id, person, email, email_verified: isVerified, new_email: newEmail } = useAccount();
  const isAvailable = useMailSettings().data?.available ?? false;
  const ask = useConfirmationMail();
  if (isVerified || !isAvailable || id !== person.id) return null;
  return (
    <Alert color="gray">
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 16rem">
          Confirm your address <b>{newEmail ?? email}</b> with the link of a mail. Until then, resetting a
          lost password revokes your API keys.
        </Text>
        <Button variant="default" size="xs" loading={ask.pending} onClick={() => void ask.run()}>
          Send the mail
        </Button>
      </Group>
      <Problem problem={ask.problem} />
    </Alert>
  );
}
