export * from './motif.ts';
export * from './trace.ts';
