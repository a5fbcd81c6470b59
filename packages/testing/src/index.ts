export * from './api-checker.ts';
export * from './event-source.ts';
export * from './eventually.ts';
export * from './keys.ts';
export * from './process.ts';
export * from './receiver.ts';
export * from './stack.ts';
export * from './tcp-proxy.ts';
