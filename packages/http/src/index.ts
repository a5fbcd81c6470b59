export * from './app.ts';
export * from './errors.ts';
export * from './health.ts';
export * from './identity.ts';
export * from './respond.ts';
export * from './routes.ts';
export * from './serve.ts';
export * from './validate.ts';
