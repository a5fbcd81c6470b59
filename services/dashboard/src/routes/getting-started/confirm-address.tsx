import { Alert, Button, Group, Text } from '@mantine/core';
import type { LinkMailView } from '@sigcast/contracts';
import { useMailSettings } from '../../api/queries.ts';
import { useAccount, useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { Problem } from '../../ui/problem.tsx';
import { tellDone } from '../../ui/tell-done.ts';

/** Asks an account's holder to confirm the address, where that can be done by mail and is yet to be done. */
export function ConfirmAddress() {
  const session = useSession();
  const { id, person, email, email_verified: isVerified, new_email: newEmail } = useAccount();
  const isAvailable = useMailSettings().data?.available ?? false;
  const ask = useAction(async () => {
    const { data } = await session.call<LinkMailView>('POST', '/account/email/confirm-request');
    tellDone(`A mail is on its way to ${data.email}.`);
  });
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
