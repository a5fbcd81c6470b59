import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  build: {
    target: 'es2022',
    // The gateway's policy lets nothing be loaded from data: addresses but images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // A browser has six connections to one origin: many small files wait for each other.
        codeSplitting: {
          groups: [
            // What everybody loads, strangers too.
            { name: 'first', tags: ['$initial'], priority: 2 },
            // Loaded when the place of a chart comes into view, on however many pages there is one.
            { name: 'charts', test: /node_modules[\\/](@mantine[\\/]charts|recharts)[\\/]/, priority: 1.5 },
            // What most pages of those who are signed in need.
            { name: 'shared', minShareCount: 3, priority: 1 },
          ],
        },
      },
    },
  },
});
