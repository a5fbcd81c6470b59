export type { Channel } from 'amqplib';
export * from './broker.ts';
export type { BrokerAddresses } from './connection.ts';
export type { Consumer, ConsumerOptions, IncomingMessage } from './consumer.ts';
export { UnprocessableMessage } from './consumer.ts';
export * from './event.ts';
export * from './parking-lot.ts';
export { isRefusedByQueue, type OutgoingMessage, refusedByQueue } from './publisher.ts';
export * from './topology.ts';
