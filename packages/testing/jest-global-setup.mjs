export { setup as default } from './src/global-setup.ts';
