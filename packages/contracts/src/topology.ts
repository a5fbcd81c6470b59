import { type EventPriority, eventPriorities, eventRoutingKey, type SignalEventType } from './events.ts';
import { webhookEventTypes } from './resources/webhooks.ts';

type KeyedType = SignalEventType | 'signal.*';

/**
 * A consumer's queue, the queue of its parked messages, and the routing keys it is bound to. An exchange with the queue's
 * name gives messages to these two queues alone, by their names.
 */
export type BoundQueue = {
  readonly queue: string;
  readonly parked: string;
  readonly keys: readonly string[];
};

/** A queue of signal events. When the queue is lost, an operator refills it from the archive. */
export type EventQueue = BoundQueue & {
  /**
   * The queue that gets the archived events when this one was lost: itself, or another queue of the same consumer, so that
   * no live event waits behind a day of events.
   */
  readonly refill: string;
};

/** The broker objects of signal events. */
export type EventTopology = {
  /** Topic exchange; routing keys are those of `eventRoutingKey`. */
  readonly exchange: string;
  readonly stats: EventQueue;
  readonly fanout: EventQueue;
  /** The separate queue of bulk events for the fan-out, so that no live event waits behind them. Shares `parked` with `fanout`. */
  readonly bulkFanout: EventQueue;
  readonly tracker: EventQueue;
};

/** A broker object's name. A namespace in front lets several systems share one broker. */
export function brokerName(namespace: string, base: string): string {
  return namespace === '' ? base : `${namespace}.${base}`;
}

/**
 * The broker objects of signal events. Their publisher alone declares them, before it publishes, so that an event published
 * before its consumer's first start waits in the queue.
 */
export function eventTopology(namespace = ''): EventTopology {
  const queue = (
    base: string,
    keys: readonly string[],
    { parked = base, refill = base }: { parked?: string; refill?: string } = {},
  ): EventQueue => ({
    queue: brokerName(namespace, base),
    parked: brokerName(namespace, `${parked}.parked`),
    keys,
    refill: brokerName(namespace, refill),
  });
  const keys = (types: readonly KeyedType[], priority: EventPriority) =>
    types.map((type) => eventRoutingKey(type, priority));
  return {
    exchange: brokerName(namespace, 'signals.events'),
    stats: queue('stats.facts', [...keys(['signal.*'], 'live'), ...keys(['signal.*'], 'bulk')]),
    fanout: queue('webhooks.fanout', keys(webhookEventTypes, 'live'), { refill: 'webhooks.fanout.bulk' }),
    bulkFanout: queue('webhooks.fanout.bulk', keys(webhookEventTypes, 'bulk'), { parked: 'webhooks.fanout' }),
    tracker: queue('tracker.observations', [...keys(['signal.*'], 'live'), ...keys(['signal.*'], 'bulk')]),
  };
}

/** The broker objects of account events. */
export type AccountTopology = {
  /** Topic exchange; routing keys are the types of account events. */
  readonly exchange: string;
  readonly webhooks: BoundQueue;
};

/** The broker objects of account events. Their publisher alone, the gateway, declares them. */
export function accountTopology(namespace = ''): AccountTopology {
  return {
    exchange: brokerName(namespace, 'accounts.events'),
    webhooks: {
      queue: brokerName(namespace, 'webhooks.accounts'),
      parked: brokerName(namespace, 'webhooks.accounts.parked'),
      keys: ['account.*'],
    },
  };
}

/** The broker objects of notices of webhooks. */
export type WebhookTopology = {
  /** Topic exchange; routing keys are the types of notices. */
  readonly exchange: string;
  readonly gateway: BoundQueue;
};

/** The broker objects of notices of webhooks. Their publisher alone, the webhooks worker, declares them. */
export function webhookTopology(namespace = ''): WebhookTopology {
  return {
    exchange: brokerName(namespace, 'webhooks.notices'),
    gateway: {
      queue: brokerName(namespace, 'gateway.notices'),
      parked: brokerName(namespace, 'gateway.notices.parked'),
      keys: ['webhook.*'],
    },
  };
}

/** Whether a queue gets events of this type, live or bulk. */
export function takesEventsOf({ keys }: EventQueue, type: SignalEventType): boolean {
  return eventPriorities.some((priority) =>
    [type, 'signal.*' as const].some((each) => keys.includes(eventRoutingKey(each, priority))),
  );
}
