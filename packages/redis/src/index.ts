export type { Redis } from 'ioredis';
export * from './connect.ts';
export * from './script.ts';
