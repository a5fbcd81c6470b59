export { setup as default } from './src/test-setup.ts';
