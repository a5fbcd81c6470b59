export type { BackingService } from './backing-service.ts';
export { type BackingOptions, type BackingServices, startBackingServices } from './backing-services.ts';
export type { Machine } from './machine.ts';
