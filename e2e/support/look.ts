/** Looks at a page as it is: with axe in light and in dark mode, and on phones. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import { phoneFaults } from './narrow.ts'

type Finding = { id: string; nodes: { html: string }[] }
declare const axe: { run(options: object): Promise<{ violations: Finding[] }> }
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** A folder for pictures of what is looked at. */
export const SHOTS = process.env.KASSA_SHOTS

/** Returns what is wrong with the page, in light and in dark mode. */
export async function look(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  const size = page.viewportSize()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(AXE)
    const { violations } = await page.evaluate(() => {
      // Else axe could read a colour that is still changing.
      for (const each of document.getAnimations()) each.finish()
      return axe.run({ resultTypes: ['violations'] })
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
