import type { Webhook } from '@sigcast/client';
import { useParams } from 'wouter';
import { useHealth, useWebhook } from '../../api/queries.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { LabelledCopyable } from '../../ui/copyable.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ForRole } from '../../ui/for-role.tsx';
import { exactTime } from '../../ui/format.ts';
import { Loaded, nameWithout } from '../../ui/loaded.tsx';
import { Mono } from '../../ui/mono.tsx';
import { Page, Section, WithAside } from '../../ui/page.tsx';
import { Tag } from '../../ui/tag.tsx';
import { keysOf, typeWords } from '../signals/signal-words.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { HealthSection } from './health-section.tsx';
import { stateWith } from './health-words.ts';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookNotices } from './webhook-notices.tsx';
import { kindWords, nameOf, templateWords } from './webhook-words.ts';

/** One webhook: its health, its settings, its actions and its log. */
export default function WebhookPage() {
  const { id = '' } = useParams<{ id: string }>();
  const webhook = useWebhook(id);
  return (
    <Page
      title={webhook.data === undefined ? nameWithout(webhook, 'webhook') : titleOf(webhook.data)}
      above={<BackLink href="/webhooks">Webhooks</BackLink>}
      description={webhook.data?.url ?? ''}
      actions={
        webhook.data !== undefined && (
          <ForRole needs="developer">
            <WebhookActions webhook={webhook.data} />
          </ForRole>
        )
      }
    >
      <Loaded query={webhook} list="webhooks" lines={6}>
        {(data) => (
          <>
            <WebhookNotices webhook={data} />
            <WithAside
              asideLast
              first={<HealthSection webhook={data} />}
              aside={
                <Section title="Settings">
                  <About webhook={data} />
                </Section>
              }
            >
              <DeliveryLog webhook={data} />
            </WithAside>
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** The longest title that has one line on a wide screen. */
const longestTitle = 54;

function titleOf(webhook: Webhook): string {
  const name = nameOf(webhook);
  return name.length > longestTitle ? `${name.slice(0, longestTitle)}…` : name;
}

function About({ webhook }: { webhook: Webhook }) {
  const state = stateWith(webhook, useHealth(webhook.id, { live: true }).data);
  const all = webhook.types.length === keysOf(typeWords).length;
  return (
    <>
      <Facts
        facts={[
          [
            'State',
            <Tag key="state" tone={state.tone}>
              {state.word}
            </Tag>,
          ],
          ...(webhook.template === null
            ? []
            : [
                ['Sent to', kindWords[webhook.kind]] as const,
                ['Message', templateWords[webhook.template].word] as const,
                ['Secret', 'A chat has none: the token in its address is stored encrypted'] as const,
              ]),
          ['Events', <Mono key="events">{webhook.events.join(', ')}</Mono>],
          ['Signal types', all ? 'All' : webhook.types.map((type) => typeWords[type]).join(', ')],
          ['Added', exactTime(webhook.created_at)],
          ...(webhook.previous_secret_expires_at === null
            ? []
            : [['Old secret valid until', exactTime(webhook.previous_secret_expires_at)] as const]),
        ]}
      />
      {webhook.filter && <LabelledCopyable text={JSON.stringify(webhook.filter)} label="Conditions" />}
      <LabelledCopyable text={webhook.id} label="Identifier" />
    </>
  );
}
