export * from './backoff.ts';
export * from './config.ts';
export * from './ids.ts';
export * from './in-batches.ts';
export * from './lifecycle.ts';
export * from './log.ts';
export * from './progress.ts';
export * from './request-context.ts';
