export { escapeHtml } from './escape.ts';
export { type GuideFile, hashedPath } from './files.ts';
export { type Guides, openGuides } from './guides.ts';
export { type PageName, pageNames } from './site-map.ts';
