import {
  accountEventSchema,
  accountEventVersion,
  openApiDocument,
  receivedSignalEventSchema,
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
};

/** The contracts of the present code. */
export function presentContracts(): Contracts {
  return {
    // Through JSON, as in a file: without members that are undefined.
    api: JSON.parse(JSON.stringify(openApiDocument(''))) as Schema,
    events: {
      'signal.*': eventContract(signalEventVersion, signalEventSchema, receivedSignalEventSchema),
      'account.*': eventContract(accountEventVersion, accountEventSchema, accountEventSchema),
    },
  };
}

/** The version of these contracts, which is the API's version in the OpenAPI document. */
export function versionOf({ api }: Contracts): string {
  return String((api.info as Schema).version);
}

function eventContract(version: number, sent: z.ZodType, read: z.ZodType): EventContract {
  const described = (schema: z.ZodType, io: 'input' | 'output') =>
    z.toJSONSchema(schema, { unrepresentable: 'any', io, metadata: z.registry() }) as Schema;
  return { version, sent: described(sent, 'output'), read: described(read, 'input') };
}
