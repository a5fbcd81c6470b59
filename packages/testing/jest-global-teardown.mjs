export { teardown as default } from './src/global-setup.ts';
