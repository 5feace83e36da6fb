/**
 * Looks at a page as it is, on phones, and with `npm run test:long` with axe too, in light and in dark mode.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import { phoneFaults } from './narrow.ts'

type Finding = { id: string; nodes: { html: string }[] }
declare const axe: { run(options: object): Promise<{ violations: Finding[] }> }
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** A folder for pictures of what is looked at. */
export const SHOTS = process.env.KASSA_SHOTS

const COLOURS = ['light', 'dark'] as const
const usesAxe = process.env.KASSA_TEST_LONG !== undefined || SHOTS !== undefined

/** Returns what is wrong with the page. */
export async function look(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  const size = page.viewportSize()
  if (usesAxe) await page.evaluate(AXE)
  for (const colorScheme of usesAxe ? COLOURS : []) {
    await page.emulateMedia({ colorScheme })
    const { violations } = await page.evaluate(() => {
      // Else axe could read a colour that is still changing.
      for (const each of document.getAnimations()) each.finish()
      // No rule in use needs the style sheets that axe would fetch, nor the selectors of nodes.
      return axe.run({ resultTypes: ['violations'], selectors: false, preload: false })
    })
    found.push(...violations.map(({ id, nodes }) => `${name}, ${colorScheme}: ${id} ${nodes[0]?.html}`))
    if (SHOTS)
      for (const [width, height] of [
        [360, 740],
        [1280, 800],
      ] as const) {
        await page.setViewportSize({ width, height })
        await page.screenshot({ path: `${SHOTS}/${name}-${colorScheme}-${width}.png`, fullPage: true })
      }
  }
  for (const fault of await phoneFaults(page)) found.push(`${name}: ${fault}`)
  // The test goes on with the screen that it had.
  if (size) await page.setViewportSize(size)
  return found
}
