/**
 * The page of the API reference: links back to the documentation, and a script that shows `/openapi.json`.
 * @param asset returns the path of an asset of the documentation, by its name.
 */
export function referencePage(asset: (name: string) => string, programPath: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API reference · Sigcast documentation</title>
    <link rel="icon" href="${asset('sign.svg')}">
    <link rel="stylesheet" href="${asset('reference.css')}">
  </head>
  <body>
    <nav class="docs-bar" aria-label="Documentation"><a href="/docs">← Documentation</a><a href="/docs/errors">Errors</a><a href="/openapi.json">OpenAPI</a></nav>
    <div id="reference"></div>
    <noscript>This page needs JavaScript. The <a href="/docs">documentation</a> does not; the document that this page shows is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    <script src="${programPath}"></script>
    <script src="${asset('reference.js')}"></script>
  </body>
</html>
`;
}
