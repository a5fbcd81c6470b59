import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  // The client's sources.
  resolve: { conditions: ['sigcast-source', ...defaultClientConditions] },
  build: {
    target: 'es2022',
    // The gateway's content security policy allows data: addresses only for images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Few files, because a browser loads at most six at once from one origin.
        codeSplitting: {
          groups: [
            // Loaded by everybody, also by those who are not signed in.
            { name: 'first', tags: ['$initial'], priority: 2 },
            // Loaded when a chart comes into view. A file of its own although several pages have charts.
            { name: 'charts', test: /node_modules[\\/](@mantine[\\/]charts|recharts)[\\/]/, priority: 1.5 },
            // Needed by most pages for those who are signed in.
            { name: 'shared', minShareCount: 3, priority: 1 },
          ],
        },
      },
    },
  },
});
