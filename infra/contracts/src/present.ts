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

/** Everything that others rely on, as of one release. */
export type Contracts = {
  /** The public API, and what is sent to subscribers. */
  readonly api: Schema;
  /** By family. */
  readonly events: Readonly<Record<string, EventContract>>;
};

/** The contracts of the code as it stands. */
export function presentContracts(): Contracts {
  return {
    // Once through JSON: as a file has it, without what is undefined.
    api: JSON.parse(JSON.stringify(openApiDocument(''))) as Schema,
    events: {
      'signal.*': eventContract(signalEventVersion, signalEventSchema, receivedSignalEventSchema),
      'account.*': eventContract(accountEventVersion, accountEventSchema, accountEventSchema),
    },
  };
}

/** The version that a release of these contracts has: the API's, as `/openapi.json` says it. */
export function versionOf({ api }: Contracts): string {
  return String((api.info as Schema).version);
}

function eventContract(version: number, sent: z.ZodType, read: z.ZodType): EventContract {
  const options = { unrepresentable: 'any' } as const;
  return {
    version,
    sent: z.toJSONSchema(sent, { ...options, io: 'output' }) as Schema,
    read: z.toJSONSchema(read, { ...options, io: 'input' }) as Schema,
  };
}
