export * from './count-signals.ts';
export * from './distribution.ts';
export * from './figures.ts';
export * from './histogram.ts';
