import type { ErrorDetail } from './errors.ts';
import type { Signal, SignalType } from './signals.ts';

/** The events of signals: what the feed and streams hold. */
export type SignalEventName = 'signal.new' | 'signal.winner' | 'signal.dead' | 'signal.rugged';

/** Events about another subscription of the account. */
export type WebhookStateEvent = 'webhook.failing' | 'webhook.disabled';

/** The events an account can subscribe to. */
export type WebhookEvent = SignalEventName | WebhookStateEvent;

/** A signal as it was right after an event. */
export type SignalAtEvent = Omit<Signal, 'updated_at' | 'outcome' | 'realizable'>;

/** The members of an event. */
export type EventPayload<Event extends string> = {
  readonly event: Event;
  /** When it happened, ISO 8601. */
  readonly timestamp: string;
  readonly data: SignalAtEvent;
};

/** An event of a signal. `event` is its type. */
export type SignalEventPayload = {
  [Event in SignalEventName]: EventPayload<Event>;
}[SignalEventName];

/** The body of a delivery. `event` is its type. `webhook.test` is sent on demand, about a made-up signal. */
export type WebhookPayload = SignalEventPayload | WebhookStatePayload | EventPayload<'webhook.test'>;

/** An event about another subscription: it has failed for a day, or it was disabled. */
export type WebhookStatePayload = {
  readonly event: WebhookStateEvent;
  /** When it was noticed, ISO 8601. */
  readonly timestamp: string;
  readonly data: Pick<Webhook, 'id' | 'url' | 'description' | 'failing_since' | 'disables_at'> & {
    /** Null for `webhook.failing`. */
    readonly disabled_reason: 'failing' | 'gone' | null;
  };
};

/** A subscription. */
export type Webhook = {
  readonly id: string;
  readonly url: string;
  /** Whether the address has answered 200 once. Until then it gets one request at a time. */
  readonly proven: boolean;
  readonly events: readonly WebhookEvent[];
  /** Default: all six. */
  readonly types: readonly SignalType[];
  /** One event at a time, in the order of the feed: later ones wait for an earlier one and its retries. */
  readonly ordered: boolean;
  /** While `disabled`, events are kept but not sent. */
  readonly status: 'enabled' | 'disabled' | 'pending';
  /** `paused`: by you. `failing`: every delivery failed for 3 days. `gone`: your endpoint answered 410. */
  readonly disabled_reason: 'paused' | 'failing' | 'gone' | null;
  readonly disabled_at: string | null;
  /** Since when every delivery has failed; null while deliveries succeed, and while the subscription is disabled. */
  readonly failing_since: string | null;
  /** When the subscription will be disabled unless a delivery succeeds; null while `failing_since` is. */
  readonly disables_at: string | null;
  readonly description: string | null;
  /** Until this instant, replaced secrets sign too; null when only the current secret signs. */
  readonly previous_secret_expires_at: string | null;
  /** The last recovery that was asked for; null before the first. */
  readonly recovery: Recovery | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** What may be wrong with the address that was just set: its host name does not resolve. Absent where nothing is. */
  readonly warnings?: readonly ErrorDetail[] | undefined;
};

/** A subscription with its signing secret, `whsec_` and base64. The secret is shown once, when it is made. */
export type WebhookWithSecret = Webhook & { readonly secret: string };

/** The state of a recovery. */
export type Recovery = {
  readonly since: string;
  /** `running`: the recovery goes on by itself, and the figures grow. */
  readonly status: 'running' | 'completed';
  /** Failed deliveries that are due again. */
  readonly retried: number;
  /** Deliveries made of events that never had one. */
  readonly opened: number;
  readonly requested_at: string;
  readonly completed_at: string | null;
};

export type CreateWebhook = {
  /** An https address that the internet reaches. */
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  /** Only events of signals of these types. Default: all types. */
  readonly types?: readonly SignalType[];
  /** One event at a time, in the order of the feed. */
  readonly ordered?: boolean;
  readonly description?: string;
};

/** Changes of a subscription. Absent members stay unchanged. */
export type UpdateWebhook = {
  readonly url?: string;
  readonly events?: readonly WebhookEvent[];
  readonly types?: readonly SignalType[];
  readonly ordered?: boolean;
  readonly description?: string | null;
  /** `disabled` pauses, `enabled` goes on. */
  readonly status?: 'enabled' | 'disabled';
};

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

export type AttemptOutcome =
  | 'succeeded'
  | 'bad_status'
  | 'timeout'
  | 'connection'
  | 'refused_address'
  | 'interrupted';

/** The outcome of an attempt, in short. */
export type AttemptSummary = {
  readonly started_at: string;
  readonly outcome: AttemptOutcome;
  /** The status that your endpoint answered; null where it did not answer. */
  readonly http_status: number | null;
  readonly error: string | null;
};

/** The health of a subscription, counted from its log. A count of 10,000 means 10,000 or more. */
export type WebhookHealth = {
  /** Of the deliveries made in that time, those that have ended. `success_rate`: percent; null where there were none. */
  readonly last_24_hours: {
    readonly since: string;
    readonly delivered: number;
    readonly failed: number;
    readonly success_rate: number | null;
  };
  readonly last_attempts: {
    readonly attempts: number;
    readonly succeeded: number;
    readonly success_rate: number | null;
  };
  readonly last_error: (AttemptSummary & { readonly delivery_id: string }) | null;
  /** Deliveries that wait for their first attempt. */
  readonly waiting: number;
  /** Deliveries that were attempted and wait for another attempt. */
  readonly retrying: number;
  readonly failed: number;
};

/** One event on its way to one subscription. */
export type Delivery = {
  readonly id: string;
  /** The `webhook-id` of every attempt. */
  readonly event_id: string;
  readonly event: WebhookPayload['event'];
  /** Null where the event is not about a signal, and for a test. */
  readonly signal_id: string | null;
  /** `pending` while attempts are still to be made; `failed` after the last one. */
  readonly status: DeliveryStatus;
  readonly attempt_count: number;
  /** Null when no further attempt is planned. */
  readonly next_attempt_at: string | null;
  /** The outcome of the newest attempt; null before the first. */
  readonly last_attempt?: AttemptSummary | null | undefined;
  readonly created_at: string;
  readonly updated_at: string;
};

/** One HTTP header. */
export type HttpHeader = { readonly name: string; readonly value: string };

/** One try at delivering an event. */
export type DeliveryAttempt = {
  /** From 1. */
  readonly number: number;
  readonly started_at: string;
  readonly duration_ms: number;
  /** `interrupted`: the service stopped during the attempt, which does not count as a retry. */
  readonly outcome: AttemptOutcome;
  /** The status that your endpoint answered; null where it did not answer. */
  readonly http_status: number | null;
  readonly error: string | null;
  /** The first kB of the answer. */
  readonly response_body: string | null;
  /** What was sent, together with `body` of the delivery; absent where nothing was sent. */
  readonly request?: { readonly url: string; readonly headers: readonly HttpHeader[] } | undefined;
  /** The first 32 headers of the answer, at most 4 kB; null where there was none. */
  readonly response_headers?: readonly HttpHeader[] | null | undefined;
  /**
   * How long each part took, in milliseconds; null for a part that the attempt did not reach. The first three are also
   * null where an open connection was used.
   */
  readonly timings?:
    | {
        readonly dns_ms: number | null;
        readonly connect_ms: number | null;
        readonly tls_ms: number | null;
        readonly first_byte_ms: number | null;
      }
    | undefined;
  /** The IP address that the request was sent to; null where there was no connection. */
  readonly address?: string | null | undefined;
};

export type DeliveryDetail = Delivery & {
  /** The bytes that every attempt sends. Null when the event is no longer kept. */
  readonly body?: string | null | undefined;
  /** The last 100, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
};
