/** A consumer's queue, the queue for what it could not handle, and the event types it listens to. */
export type EventQueue = {
  readonly queue: string;
  readonly parked: string;
  /** Begins the names of exchanges that the broker deletes together with the queue: see `queueMarks` in messaging. */
  readonly marker: string;
  readonly keys: readonly string[];
};

/** The broker objects that services meet on. */
export type EventTopology = {
  /** Topic exchange; the routing key is the event's type. */
  readonly exchange: string;
  readonly stats: EventQueue;
  readonly fanout: EventQueue;
};

/** A broker object's name; a namespace in front lets several systems share one broker. */
export function brokerName(namespace: string, base: string): string {
  return namespace === '' ? base : `${namespace}.${base}`;
}

/**
 * Who listens to signal events. Every service declares all of it at start, whichever starts first,
 * so an event published before its consumer's first start already waits for it.
 */
export function eventTopology(namespace = ''): EventTopology {
  const queue = (base: string, keys: readonly string[]): EventQueue => ({
    queue: brokerName(namespace, base),
    parked: brokerName(namespace, `${base}.parked`),
    marker: brokerName(namespace, `${base}.intact`),
    keys,
  });
  return {
    exchange: brokerName(namespace, 'signals.events'),
    stats: queue('stats.facts', ['signal.*']),
    fanout: queue('webhooks.fanout', ['signal.new', 'signal.winner', 'signal.dead', 'signal.rugged']),
  };
}
