export { teardown as default } from './src/test-setup.ts';
