export { escapeHtml } from './escape.ts';
export { type GuideFile, hashedPath } from './files.ts';
export type { PublicPage } from './frame.ts';
export { type Guides, openGuides } from './guides.ts';
export { codeBlock } from './render-markdown.ts';
export { type PageName, pageNames } from './site-map.ts';
