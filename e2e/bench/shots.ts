/**
 * Takes a picture of every hosted page: each state, light and dark, phone and desktop, three languages. One page is also
 * printed as PDF. `npm run shots -- FOLDER [PART OF A NAME]`. Without FOLDER it makes a temporary folder and prints its path.
 */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { findChromium } from '../support/browser.ts'
import { LOCALES, openGallery } from '../support/gallery.ts'

const SCREENS = { phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 800 } }
const SCHEMES = ['light', 'dark'] as const
const PAPER = 'checkout-paid'

const [folder = await mkdtemp(join(tmpdir(), 'shots-')), part = ''] = process.argv.slice(2)
const executablePath = findChromium()
if (!executablePath) throw new Error('There is no Chromium. To get one: node e2e/support/browser.ts')

const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
const browser = await chromium.launch({ executablePath, args })
const gallery = await openGallery()
const names = gallery.names.filter((name) => name.includes(part))
for (const [screen, viewport] of Object.entries(SCREENS))
  for (const colorScheme of SCHEMES) {
    const page = await browser.newPage({ viewport, colorScheme })
    for (const name of names)
      for (const locale of LOCALES) {
        await page.goto(gallery.addressOf(name, locale))
        await page.screenshot({
          path: join(folder, `${name}-${locale}-${screen}-${colorScheme}.png`),
          fullPage: true,
        })
      }
    await page.close()
  }
if (names.includes(PAPER)) {
  const page = await browser.newPage()
  await page.goto(gallery.addressOf(PAPER, 'en'))
  await page.pdf({ path: join(folder, `${PAPER}.pdf`), format: 'A4' })
}
await gallery.close()
await browser.close()
console.log(`Pictures of ${names.length} pages are in ${folder}`)
