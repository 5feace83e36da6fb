/** Prints the posters of a shop that uses all of a poster, as PDF, and takes a picture of what is on each paper. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright'
import type { Gallery } from '../support/gallery.ts'
import { PAPERS, pagesOf } from '../support/printed.ts'
import { type Shot, writeSheets } from './contact-sheet.ts'

/** Large enough to read the smallest line of an A4 sheet. */
const SCALE = 2

/** Returns how many posters were printed. @throws Error for one that is not exactly one page of its paper */
export async function printPosters(browser: Browser, gallery: Gallery, folder: string): Promise<number> {
  const page = await browser.newPage({ deviceScaleFactor: SCALE })
  const shots: Shot[] = []
  for (const [size, paper] of Object.entries(PAPERS))
    for (const locale of gallery.locales) {
      const label = `poster-${size}-${locale}`
      await page.emulateMedia({ media: null })
      await page.goto(gallery.addressOf(`install-poster-full-${size}`, locale), { waitUntil: 'networkidle' })
      const pdf = await page.pdf({ preferCSSPageSize: true })
      const pages = pagesOf(pdf)
      if (pages.join() !== paper.join())
        throw new Error(
          `${label} has the pages ${JSON.stringify(pages)}, not one of ${paper.join(' x ')} mm.`,
        )
      await writeFile(join(folder, `${label}.pdf`), pdf)
      await page.emulateMedia({ media: 'print' })
      shots.push({ label, picture: await page.locator('.paper').screenshot() })
    }
  await page.close()
  await writeSheets(folder, 'posters', shots)
  return shots.length
}
