export * from './trace.ts';
