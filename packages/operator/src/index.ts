export * from './command.ts';
export * from './options.ts';
export * from './parked-commands.ts';
export * from './run.ts';
export * from './secrets-command.ts';
export * from './signals-reader.ts';
export * from './store-commands.ts';
