import { Anchor, Text } from '@mantine/core';
import type { Webhook } from '@sigcast/client';
import type { ApiKeyView } from '@sigcast/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { useKeys, useWebhooks } from '../../api/queries.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ConfirmAddress } from './confirm-address.tsx';
import { DeliveredStep } from './delivered-step.tsx';
import styles from './getting-started.module.css';
import { KeyCommand } from './key-command.tsx';
import { KeyStep } from './key-step.tsx';
import { ReceiverStep } from './receiver-step.tsx';
import { Step, Waiting } from './step.tsx';
import { useFirstDelivery } from './use-first-delivery.ts';
import { useOnce } from './use-once.ts';

const next = [
  ['/webhooks', 'Filter a webhook', 'Get only the signals that meet your conditions.'],
  ['/backtests', 'Run a backtest', 'See what a rule would have earned on past signals.'],
  ['/record', 'Verify the record', 'Check every signal and outcome against the public log.'],
  ['/profile/members', 'Invite a member', 'Share the account, each with a role of their own.'],
  ['/docs', 'Read the documentation', 'Guides, clients and the API reference.'],
] as const;
/** Those that are no pages of the dashboard. */
const outside: ReadonlySet<string> = new Set(['/record', '/docs']);

/** The steps up to the first received webhook. Each turns green when it is done, also if it was done elsewhere. */
export default function GettingStartedPage() {
  const [waitingSinceMs, setWaitingSinceMs] = useState(Date.now);
  const keys = useKeys({ waitingSinceMs });
  const webhooks = useWebhooks();
  return (
    <Page
      title="Getting started"
      description="Four steps from an API key to your first webhook. Steps turn green when complete."
    >
      <Loaded query={keys} lineHeight={110}>
        {(keyList) => (
          <Loaded query={webhooks} lineHeight={110}>
            {(webhookList) => (
              <div className={styles.column}>
                <ConfirmAddress />
                <Steps
                  keys={keyList}
                  webhooks={webhookList}
                  waitingSinceMs={waitingSinceMs}
                  onBegin={() => setWaitingSinceMs(Date.now())}
                />
                <Next />
              </div>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

function Next() {
  return (
    <Section title="Where to go next">
      <ul className={styles.next}>
        {next.map(([to, does, what]) => (
          <li key={to}>
            {outside.has(to) ? (
              <Anchor href={to} size="sm">
                {does}
              </Anchor>
            ) : (
              <Anchor component={Link} href={to} size="sm">
                {does}
              </Anchor>
            )}
            <span>{what}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Steps(props: {
  keys: readonly ApiKeyView[];
  webhooks: readonly Webhook[];
  waitingSinceMs: number;
  /** Called when the user has done something that soon leads to a first request or delivery. */
  onBegin: () => void;
}) {
  const { keys, webhooks, onBegin } = props;
  const [key, setKey] = useState<string>();
  const made = useOnce('key', keys.length > 0);
  const asked = useOnce(
    'request',
    keys.some(({ last_used_at: at }) => at !== null),
  );
  const received = useOnce('webhook', webhooks.length > 0);
  const first = useFirstDelivery(webhooks, props.waitingSinceMs);
  const delivered = useOnce('delivered', first.data?.delivered === true);
  const isSetUp = made && asked && received && delivered;
  return (
    <>
      {isSetUp && <Text fw={500}>You’re set up.</Text>}
      <ol className={styles.steps}>
        <KeyStep
          done={made}
          isNext={!made}
          hasKey={keys.some(({ state }) => state === 'active')}
          made={key}
          onMade={(text) => {
            setKey(text);
            onBegin();
          }}
        />
        <Step
          number={2}
          title="Request signals"
          brings="Reads the newest signals with your key."
          done={asked}
          isNext={made && !asked}
        >
          <Text size="sm" mb="sm">
            Run this command in a terminal.{' '}
            {key === undefined ? 'Replace YOUR_KEY with your key.' : 'The copied command contains your key.'}
          </Text>
          <KeyCommand apiKey={key} />
          {!asked && made && <Waiting>Waiting for the first request with a key …</Waiting>}
        </Step>
        <ReceiverStep done={received} isNext={made && asked && !received} onMade={onBegin} />
        <DeliveredStep
          isNext={received}
          webhooks={webhooks}
          first={first}
          done={delivered}
          onTest={onBegin}
        />
      </ol>
    </>
  );
}
