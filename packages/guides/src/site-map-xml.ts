/** `/sitemap.xml` (https://www.sitemaps.org/protocol.html): the addresses of all pages that anybody can read. */
export function siteMapXml(paths: readonly string[], publicUrl: string): string {
  const urls = paths.map((path) => `<url><loc>${publicUrl}${path}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`;
}

/** `/robots.txt` (RFC 9309): where the site map is. */
export function robotsText(publicUrl: string): string {
  return `User-agent: *\nAllow: /\nSitemap: ${publicUrl}/sitemap.xml\n`;
}
