import { Anchor, Button, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { Action } from '../../api/use-action.ts';
import { Problem } from '../../ui/problem.tsx';
import { Notice } from './entry-frame.tsx';

/** Says that a mail is on its way, and what to do when none comes. `ask` sends another. */
export function MailSent(props: { email: string; ask: Action<[]>; children: ReactNode }) {
  const { email, ask } = props;
  const [again, setAgain] = useState(false);
  return (
    <Notice
      title="Check your mail"
      footer={
        <Anchor component={Link} href="/sign-in">
          Back to sign-in
        </Anchor>
      }
    >
      <Text>{props.children}</Text>
      <Text size="sm" c="dimmed">
        No mail after a few minutes? Check your spam folder, and the address: <b>{email}</b>.
      </Text>
      <Problem problem={ask.problem} />
      <Button
        variant="default"
        loading={ask.pending}
        disabled={again}
        onClick={() => void ask.run().then(setAgain)}
      >
        {again ? 'Sent again' : 'Send again'}
      </Button>
    </Notice>
  );
}
