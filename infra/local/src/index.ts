export type { BackingService } from './backing-service.ts';
export { type BackingOptions, type BackingServices, startBackingServices } from './backing-services.ts';
export type { Machine } from './machine.ts';
export { buildDashboard } from './system/dashboard.ts';
export type { ProcessName } from './system/process-spec.ts';
export { type System, type SystemOptions, startSystem } from './system/system.ts';
export { ensureBrowser, ensurePython } from './test-programs.ts';
