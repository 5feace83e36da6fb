/** Every hosted page in every state, looked at by axe: nothing serious or critical, in three languages, light and dark. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from '@playwright/test'
import { type Gallery, LOCALES, openGallery } from './support/gallery.ts'

type Finding = { id: string; impact: string | null; nodes: { html: string }[] }
declare const axe: { run(options: object): Promise<{ violations: Finding[] }> }

/** Between light and dark only the colours differ. */
const LOOKED_FOR = { light: {}, dark: { runOnly: ['color-contrast'] } }

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let gallery: Gallery
test.beforeAll(async () => {
  gallery = await openGallery()
})
test.afterAll(() => gallery.close())

for (const locale of LOCALES)
  for (const colorScheme of ['light', 'dark'] as const)
    test(`axe finds nothing serious in ${locale}, ${colorScheme}`, async ({ browser }) => {
      test.setTimeout(120_000)
      const page = await browser.newPage({ colorScheme, viewport: { width: 360, height: 740 } })
      const found: string[] = []
      for (const name of gallery.names) {
        await page.goto(gallery.addressOf(name, locale))
        await page.evaluate(AXE)
        const { violations } = await page.evaluate((options) => axe.run(options), LOOKED_FOR[colorScheme])
        for (const { id, impact, nodes } of violations)
          if (impact === 'serious' || impact === 'critical') found.push(`${name}: ${id} ${nodes[0]?.html}`)
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
        if (wide) found.push(`${name}: wider than the screen`)
      }
      expect(found).toEqual([])
      await page.close()
    })
