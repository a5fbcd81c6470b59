import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
};

/** What axe-core finds wrong with a page as it is now, one line each; of one impact or of any. */
export async function violations(page: Page, impacts?: readonly string[]): Promise<string[]> {
  // Evaluated in the page by the browser's debugger, which its policy does not concern.
  await page.evaluate(axe);
  const found = (await page.evaluate('axe.run()')) as { readonly violations: readonly Violation[] };
  return found.violations
    .filter(({ impact }) => impacts === undefined || impacts.includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}
