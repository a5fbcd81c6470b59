export * from './connect.ts';
export * from './errors.ts';
export * from './indexes.ts';
