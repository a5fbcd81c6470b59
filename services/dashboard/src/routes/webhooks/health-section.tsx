import type { Webhook, WebhookHealth } from '@sigcast/client';
import type { DeliveryState } from '@sigcast/contracts';
import { Link } from 'wouter';
import { deliveryQuery, everyDelivery } from '../../api/delivery-filter.ts';
import { useHealth } from '../../api/queries.ts';
import { Facts } from '../../ui/facts.tsx';
import { count } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { Tag } from '../../ui/tag.tsx';
import { adviceFor } from './advice.ts';
import { AttemptStrip } from './attempt-strip.tsx';
import { answerWords, healthSentence, healthWord, logCount } from './health-words.ts';
import styles from './webhooks.module.css';

/** The health of a subscription in sentences. Each count links to the deliveries that it counts. */
export function HealthSection({ webhook }: { webhook: Webhook }) {
  const health = useHealth(webhook.id, { live: true });
  return (
    <Section title="Health">
      <Loaded query={health} lines={2}>
        {(data) => <Sentences webhook={webhook} health={data} />}
      </Loaded>
    </Section>
  );
}

function Sentences({ webhook, health }: { webhook: Webhook; health: WebhookHealth }) {
  const { word, tone } = healthWord(health);
  const { last_error: error, last_24_hours: day } = health;
  const advice = error === null ? undefined : adviceFor(error);
  const sentence = healthSentence(health);
  return (
    <div className={styles.sentences}>
      <AttemptStrip webhookId={webhook.id} />
      <p>
        <Tag tone={tone}>{word}</Tag> {sentence}
      </p>
      {error !== null && (
        <p>
          <Link href={`/webhooks/${webhook.id}?delivery=${encodeURIComponent(error.delivery_id)}`}>
            Last error
          </Link>
          : <b>{answerWords(error)}</b>, <Instant at={error.started_at} />. {tone === 'bad' && advice}
        </p>
      )}
      <Facts
        facts={[
          ['Delivered in 24 h', count(day.delivered)],
          ['Failed in 24 h', count(day.failed)],
          [
            'Pending',
            <>
              <CountLink webhook={webhook} number={health.waiting + health.retrying} status="pending" />
              {health.retrying > 0 && (
                <>
                  , <CountLink webhook={webhook} number={health.retrying} status="retrying" /> retrying
                </>
              )}
            </>,
          ],
          [
            'Failed in 30 days',
            <CountLink key="failed" webhook={webhook} number={health.failed} status="failed" />,
          ],
        ]}
      />
    </div>
  );
}

/** A count; unless it is zero, a link to the deliveries that it counts. */
function CountLink(props: { webhook: Webhook; number: number; status: DeliveryState }) {
  const { webhook, number, status } = props;
  if (number === 0) return '0';
  return (
    <Link href={`/webhooks/${webhook.id}?${deliveryQuery({ ...everyDelivery, status })}`}>
      {logCount(number)}
    </Link>
  );
}
