import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
};

/** The findings of axe-core on a page as it is now, one line each; all findings unless `impacts` are given. */
export async function violations(page: Page, impacts?: readonly string[]): Promise<string[]> {
  // The debugger evaluates it, so the page's content security policy does not apply.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe);
  // Without `resultTypes`, axe-core also describes every element that passed.
  const found = await page.evaluate<readonly Violation[]>(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  return found
    .filter(({ impact }) => impacts === undefined || impacts.includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}
