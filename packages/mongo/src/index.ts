export * from './connect.ts';
export * from './errors.ts';
export * from './horizon.ts';
export * from './id-batches.ts';
export * from './indexes.ts';
export * from './key-expiry.ts';
export * from './server-errors.ts';
export * from './settings.ts';
