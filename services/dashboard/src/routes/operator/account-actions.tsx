import { Button, Modal, Select } from '@mantine/core';
import type { OperatorAccountDetail } from '@sigcast/contracts';
import { useState } from 'react';
import { useOperatorChange, useOperatorPlans } from '../../api/operator-queries.ts';
import { useAccount } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { DialogForm } from '../../ui/action-form.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { count } from '../../ui/format.ts';
import { tellDone } from '../../ui/tell-done.ts';

type Opened = 'suspend' | 'resume' | 'plan' | undefined;

/** What an operator can do to an account. The page asks before each action, and each action is in the log. */
export function AccountActions({ account }: { account: OperatorAccountDetail }) {
  const own = useAccount().id === account.id;
  const change = useOperatorChange(account.id);
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  return (
    <>
      <Button variant="default" onClick={() => setOpened('plan')}>
        Change plan
      </Button>
      {account.status === 'suspended' && <Button onClick={() => setOpened('resume')}>Resume account</Button>}
      {account.status === 'active' && !own && (
        <Button variant="default" c="var(--loss)" onClick={() => setOpened('suspend')}>
          Suspend account
        </Button>
      )}
      <Confirm
        opened={opened === 'suspend'}
        title="Suspend this account?"
        verb="Suspend account"
        onClose={close}
        work={async () => {
          await change({ status: 'suspended' });
          tellDone('The account is suspended.');
        }}
      >
        From now on, every request of {account.email} is refused, with API keys and in the dashboard. The
        webhooks of the account pause. No event is lost. You can resume the account later.
      </Confirm>
      <Confirm
        opened={opened === 'resume'}
        title="Resume this account?"
        verb="Resume account"
        onClose={close}
        work={async () => {
          await change({ status: 'active' });
          tellDone('The account is resumed.');
        }}
      >
        The API keys and the dashboard of {account.email} work again. The webhooks of the account send the
        deliveries that waited.
      </Confirm>
      <ChangePlan account={account} opened={opened === 'plan'} onClose={close} />
    </>
  );
}

function ChangePlan(props: { account: OperatorAccountDetail; opened: boolean; onClose: () => void }) {
  const { account } = props;
  const plans = useOperatorPlans(props.opened);
  const change = useOperatorChange(account.id);
  const [chosen, setChosen] = useState<string | null>(null);
  const plan = chosen ?? account.plan;
  const action = useAction(async () => {
    await change({ plan });
    tellDone(`The account now has the plan ${plan}.`);
  }, ['plan']);
  const close = () => {
    setChosen(null);
    action.reset();
    props.onClose();
  };
  return (
    <Modal opened={props.opened} onClose={close} title="Change the plan">
      <DialogForm
        intro={`The new limits of ${account.email} apply within a minute.`}
        action={action}
        verb="Change plan"
        disabled={plan === account.plan}
        onSubmit={() => void action.run().then((done) => done && close())}
        onClose={close}
      >
        <Select
          label="Plan"
          data={(plans.data ?? []).map(({ name, requests_per_minute: minute, requests_per_day: day }) => ({
            value: name,
            label: `${name}: ${count(minute)} a minute, ${count(day)} a day`,
          }))}
          value={plan}
          onChange={setChosen}
          error={action.fields.plan}
          allowDeselect={false}
          withScrollArea={false}
        />
      </DialogForm>
    </Modal>
  );
}
