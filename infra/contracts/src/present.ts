import { existsSync, readdirSync, readFileSync } from 'node:fs';
import {
  accountEventSchema,
  accountEventVersion,
  openApiDocument,
  signalEventSchema,
  signalEventVersion,
} from '@sigcast/contracts';
import { z } from 'zod';
import type { EventContract } from './compare-events.ts';
import type { Schema } from './schema.ts';

/** The contracts of one release. */
export type Contracts = {
  /** The OpenAPI document, including the webhooks. */
  readonly api: Schema;
  /** By family, such as `signal.*`. */
  readonly events: Readonly<Record<string, EventContract>>;
  /**
   * The expectations of consumers, by service and then by consumer: their requests, and what they read of the answers, as
   * the `consumes` folders have them. Tests of each service also keep the expectations of the last release.
   */
  readonly requests: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/** The contracts of the present code. */
export function presentContracts(): Contracts {
  return {
    // Through JSON, as in a file: without members that are undefined.
    api: JSON.parse(JSON.stringify(openApiDocument(''))) as Schema,
    events: {
      'signal.*': eventContract('signal.*', signalEventVersion, signalEventSchema),
      'account.*': eventContract('account.*', accountEventVersion, accountEventSchema),
    },
    requests: presentRequests(),
  };
}

/** The version of these contracts, which is the API's version in the OpenAPI document. */
export function versionOf({ api }: Contracts): string {
  return String((api.info as Schema).version);
}

function eventContract(family: string, version: number, schema: z.ZodType): EventContract {
  const sent = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'output' }) as Schema;
  return { version, sent, readBy: readersOf(family) };
}

function presentRequests(): Contracts['requests'] {
  const all: Record<string, Record<string, unknown>> = {};
  for (const kind of ['infra', 'packages', 'services']) {
    const folder = new URL(`../../../${kind}/`, import.meta.url);
    for (const consumer of readdirSync(folder)) {
      const consumes = new URL(`${consumer}/consumes/`, folder);
      for (const file of existsSync(consumes) ? readdirSync(consumes).sort() : []) {
        const service = file.replace(/\.json$/, '');
        if (service === 'events') continue;
        all[service] ??= {};
        all[service][consumer] = JSON.parse(readFileSync(new URL(file, consumes), 'utf8')) as unknown;
      }
    }
  }
  return all;
}

/** The schemas of what each service reads of a family of events, from `consumes/events.json`. */
function readersOf(family: string): Readonly<Record<string, Schema>> {
  const services = new URL('../../../services/', import.meta.url);
  return Object.fromEntries(
    readdirSync(services).flatMap((service) => {
      const file = new URL(`${service}/consumes/events.json`, services);
      if (!existsSync(file)) return [];
      const read = (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Schema>)[family];
      return read === undefined ? [] : [[service, read]];
    }),
  );
}
