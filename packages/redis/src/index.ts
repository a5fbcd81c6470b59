export type { Redis } from 'ioredis';
export * from './address.ts';
export * from './connect.ts';
export { checkMasters, type Masters } from './masters.ts';
export * from './script.ts';
export * from './settings.ts';
