import type { SignalStatus, SignalType } from '@sigcast/contracts';
import type { IndexSpec } from '@sigcast/mongo';
import { type Connection, type Model, Schema } from 'mongoose';

/** A fact as the collection holds it. Owned by this service alone. */
export type FactDocument = {
  /** The signal's id. */
  _id: string;
  type: SignalType;
  status: SignalStatus;
  /** Hundredths of a percent, an integer. */
  roi: number;
  created_at: Date;
  rev: number;
};

export type FactModel = Model<FactDocument>;

export const factsCollection = 'signal_facts';

/** Names that queries give as `hint`. */
export const indexNames = { all: 'created', type: 'created_of_type' } as const;

/** Each holds all that the totals need, so they are computed without fetching a single document. */
export const factIndexes: readonly IndexSpec[] = [
  { name: indexNames.all, key: { created_at: 1, type: 1, status: 1, roi: 1 } },
  { name: indexNames.type, key: { type: 1, created_at: 1, status: 1, roi: 1 } },
];

const schema = new Schema<FactDocument>(
  {
    _id: { type: String, required: true },
    type: { type: String, required: true },
    status: { type: String, required: true },
    roi: { type: Number, required: true },
    created_at: { type: Date, required: true },
    rev: { type: Number, required: true },
  },
  { collection: factsCollection, versionKey: false, strict: 'throw' },
);

/** The collection's model on this connection. */
export function factModel(connection: Connection): FactModel {
  return connection.model<FactDocument>('SignalFact', schema);
}
