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
  /** By family. */
  readonly events: Readonly<Record<string, EventContract>>;
  /**
   * What is asked of each service by others, and read of the answers: lists of expectations by service and by who has them,
   * as `consumes` has them. Tests of the service keep those of the last release, too.
   */
  readonly requests: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/** The contracts of the present code. */
export function presentContracts(): Contracts {
  return {
    // Once through JSON: as a file has it, without what is undefined.
    api: JSON.parse(JSON.stringify(openApiDocument(''))) as Schema,
    events: {
      'signal.*': eventContract('signal.*', signalEventVersion, signalEventSchema),
      'account.*': eventContract('account.*', accountEventVersion, accountEventSchema),
    },
    requests: presentRequests(),
  };
}

/** The version that a release of these contracts has: the API's, as `/openapi.json` says it. */
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

/** What services have recorded of the events that they read: `consumes/events.json`, by family. */
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
