import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  build: {
    target: 'es2022',
    // The gateway's policy lets nothing be loaded from data: addresses but images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
