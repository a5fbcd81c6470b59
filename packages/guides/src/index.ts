export { escapeHtml } from './escape.ts';
export type { GuideFile } from './files.ts';
export type { PublicPage } from './frame.ts';
export { type Guides, openGuides } from './guides.ts';
export { motif } from './motif.ts';
export { localUrl } from './page.ts';
export { clientSamples } from './samples/client-samples.ts';
export { codeBlock } from './samples/sample-block.ts';
export { type PageName, pageNames } from './site-map.ts';
