export * from './exposed-metrics.ts';
export * from './files.ts';
export * from './used-metrics.ts';
