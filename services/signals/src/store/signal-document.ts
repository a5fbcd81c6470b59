import { type AggregateSource, type Dirty, dirtyIndex } from '@sigcast/aggregates';
import {
  contractKey,
  type Idempotency,
  type Origin,
  type OutgoingEvent,
  type Realizable,
  type SignalDetail,
  type SignalStatus,
  type SignalType,
  signalStatuses,
  symbolKey,
} from '@sigcast/contracts';
import { type IndexSpec, keyExpiryIndex } from '@sigcast/mongo';
import { type Connection, type Model, Schema } from 'mongoose';
import type { NewRecord } from '../domain/ports.ts';
import { type Decision, type Signal, toDetail } from '../domain/signal.ts';

/** A signal as the collection holds it, with the events that still have to leave. */
export type SignalDocument = {
  _id: string;
  rev: number;
  token: SignalDetail['token'];
  metrics: SignalDetail['metrics'];
  status: SignalStatus;
  type: SignalType;
  is_premium: boolean;
  created_at: Date;
  observed_at: Date;
  ath_at: Date;
  updated_at: Date;
  /** How `status` was decided; absent while active. */
  decision?: Decision;
  /** Derived, for conditions. */
  performance: Omit<SignalDetail['performance'], 'status'>;
  /** What it rests on; absent where the producer did not say. */
  origin?: Origin;
  /** The newest result of the exit rule; absent where the tracker knows of no position. */
  realizable?: Realizable;
  /** Events, each written in one step with its change, and removed once the broker has confirmed it. */
  outbox: OutgoingEvent[];
  /** When a sweep may claim the signal; absent while the outbox is empty. */
  relay_due_at?: Date;
  /** The token of the last claim. */
  relay_claim?: string;
  idempotency?: Idempotency;
  /** When it was imported; its events are bulk for a day from then on. */
  imported_at?: Date;
  /** Set with every change of status, and cleared once the change is counted in the totals. */
  dirty?: Dirty;
  /** See `symbolKey` and `contractKey` of contracts. */
  symbol_key: string;
  contract_key: string;
};

export type SignalModel = Model<SignalDocument>;

export const signalsCollection = 'signals';

/** Names of indexes, which queries give as `hint`. */
export const indexNames = {
  all: 'newest',
  type: 'newest_of_type',
  status: 'newest_of_status',
  typeAndStatus: 'newest_of_type_and_status',
  symbol: 'newest_of_symbol',
  contract: 'newest_of_contract',
  chain: 'newest_of_chain',
  relayDue: 'relay_due',
  idempotency: 'idempotency_key',
} as const;

export const signalIndexes: readonly IndexSpec[] = [
  { name: indexNames.all, key: { created_at: -1, _id: -1 } },
  { name: indexNames.type, key: { type: 1, created_at: -1, _id: -1 } },
  { name: indexNames.status, key: { status: 1, created_at: -1, _id: -1 } },
  { name: indexNames.typeAndStatus, key: { type: 1, status: 1, created_at: -1, _id: -1 } },
  { name: indexNames.symbol, key: { symbol_key: 1, created_at: -1, _id: -1 } },
  { name: indexNames.contract, key: { contract_key: 1, created_at: -1, _id: -1 } },
  { name: indexNames.chain, key: { 'token.chain': 1, created_at: -1, _id: -1 } },
  // Partial: holds only signals with waiting events, so that the sweep's cost does not grow with the collection.
  {
    name: indexNames.relayDue,
    key: { relay_due_at: 1 },
    partialFilterExpression: { relay_due_at: { $exists: true } },
  },
  {
    name: indexNames.idempotency,
    key: { 'idempotency.key': 1 },
    unique: true,
    partialFilterExpression: { 'idempotency.key': { $exists: true } },
  },
  keyExpiryIndex,
  dirtyIndex,
];

/** What the totals of lists are made of: the number of signals of each type and status, in the order of `signalStatuses`. */
export const signalAggregates: AggregateSource = {
  collection: signalsCollection,
  index: indexNames.all,
  fields: [],
  measures: signalStatuses.map((counted) => ({ sum: ({ status }) => (status === counted ? 1 : 0) })),
};

const schema = new Schema<SignalDocument>(
  {
    _id: { type: String, required: true },
    rev: { type: Number, required: true },
    token: { type: Schema.Types.Mixed, required: true },
    metrics: { type: Schema.Types.Mixed, required: true },
    status: { type: String, required: true },
    type: { type: String, required: true },
    is_premium: { type: Boolean, required: true },
    created_at: { type: Date, required: true },
    observed_at: { type: Date, required: true },
    ath_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
    decision: { type: Schema.Types.Mixed, required: false },
    performance: { type: Schema.Types.Mixed, required: true },
    origin: { type: Schema.Types.Mixed, required: false },
    realizable: { type: Schema.Types.Mixed, required: false },
    outbox: [Schema.Types.Mixed],
    relay_due_at: Date,
    relay_claim: String,
    idempotency: { type: { _id: false, key: String, hash: String, at: Date }, required: false },
    imported_at: Date,
    dirty: { type: { _id: false, at: Date, before: Schema.Types.Mixed }, required: false },
    symbol_key: { type: String, required: true },
    contract_key: { type: String, required: true },
  },
  { collection: signalsCollection, versionKey: false, minimize: false, strict: 'throw' },
);

/** The collection's model on this connection. */
export function signalModel(connection: Connection): SignalModel {
  return connection.model<SignalDocument>('Signal', schema);
}

/** The document of a new signal, with its event in the outbox. */
export function newDocument(
  { signal, event, idempotency, importedAt }: NewRecord,
  dirty: Dirty,
): SignalDocument {
  return {
    ...signalFields(signal),
    _id: signal.id,
    created_at: signal.createdAt,
    type: signal.type,
    is_premium: signal.isPremium,
    token: signal.token,
    ...(signal.origin === undefined ? {} : { origin: signal.origin }),
    symbol_key: symbolKey(signal.token.symbol),
    contract_key: contractKey(signal.token.contract),
    outbox: [event],
    relay_due_at: relayDueAt(signal),
    dirty,
    ...(idempotency === undefined ? {} : { idempotency }),
    ...(importedAt === undefined ? {} : { imported_at: importedAt }),
  };
}

/** The replica that wrote an event relays it within this time, in milliseconds, unless the replica died. */
const relayGraceMs = 2_000;

/** When a sweep may claim the signal after its last change. */
export function relayDueAt(signal: Signal): Date {
  return new Date(signal.updatedAt.getTime() + relayGraceMs);
}

/** The fields that a patch can change. */
export function signalFields(signal: Signal) {
  const { status: _status, ...performance } = toDetail(signal).performance;
  return {
    performance,
    rev: signal.rev,
    metrics: signal.metrics,
    status: signal.status,
    observed_at: signal.observedAt,
    ath_at: signal.athAt,
    updated_at: signal.updatedAt,
    ...(signal.decision === undefined ? {} : { decision: signal.decision }),
    ...(signal.realizable === undefined ? {} : { realizable: signal.realizable }),
  };
}

/** The signal that a document holds. */
export function toSignal(document: Omit<SignalDocument, 'outbox' | 'idempotency'>): Signal {
  return {
    id: document._id,
    rev: document.rev,
    token: document.token,
    metrics: document.metrics,
    status: document.status,
    type: document.type,
    isPremium: document.is_premium,
    createdAt: document.created_at,
    observedAt: document.observed_at,
    athAt: document.ath_at,
    updatedAt: document.updated_at,
    ...(document.decision === undefined ? {} : { decision: document.decision }),
    ...(document.origin === undefined ? {} : { origin: document.origin }),
    ...(document.realizable === undefined ? {} : { realizable: document.realizable }),
  };
}
