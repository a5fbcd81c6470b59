import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Notice } from './entry-frame.tsx';

/** Says that a mail is on its way, and what to do when none comes. */
export function MailSent({ email, children }: { email: string; children: ReactNode }) {
  return (
    <Notice
      title="Check your mail"
      footer={
        <Anchor component={Link} href="/sign-in">
          Back to sign-in
        </Anchor>
      }
    >
      <Text>{children}</Text>
      <Text size="sm" c="dimmed">
        No mail after a few minutes? Check your spam folder, and the address: <b>{email}</b>.
      </Text>
    </Notice>
  );
}
