export * from './command.ts';
export * from './options.ts';
export * from './run.ts';
