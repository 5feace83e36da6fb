/**
 * Takes a picture of every hosted page: each state, light and dark, phone and desktop, every language. The pictures are put on contact
 * sheets, one row of sheets for each language, screen and scheme. The mails of a running service are pictured on a phone, and the
 * posters and one page are printed as PDF.
 * `npm run generate -- shots FOLDER [PART OF A NAME] [SCREEN]`. Without FOLDER it makes a temporary folder and prints its path. With a part,
 * mails and posters are left out unless it begins with `mail` or `poster`. The screen `sight` is what a small phone shows without
 * scrolling. It is taken only when it is named, and then alone.
 */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright'
import { findHeadlessChromium } from '../support/browser.ts'
import { type Gallery, openGallery } from '../support/gallery.ts'
import { PAPERS, pagesOf } from '../support/printed.ts'
import { type Shot, writeSheets } from './contact-sheet.ts'
import { takeMails } from './mail-shots.ts'

const SCREENS = {
  phone: { width: 360, height: 740 },
  desktop: { width: 1280, height: 800 },
  sight: { width: 360, height: 640 },
}
type Screen = keyof typeof SCREENS
/** The desktop pictures show only the middle of the screen, because the pages leave the rest empty. */
const MARGIN = 48
const SCHEMES = ['light', 'dark'] as const
const PAPER = 'checkout-paid'

/** The scale of the posters. It is large enough to read the smallest line of an A4 sheet. */
const SCALE = 2

const [folder = await mkdtemp(join(tmpdir(), 'shots-')), part = '', only] = process.argv.slice(2)
const screens: Screen[] = only === undefined ? ['phone', 'desktop'] : [only as Screen]
await mkdir(folder, { recursive: true })
const executablePath = findHeadlessChromium()
if (!executablePath) throw new Error('There is no Chromium. To get one: node e2e/support/browser.ts')

const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
const browser = await chromium.launch({ executablePath, args })
const gallery = await openGallery()
const names = gallery.names.filter((name) => name.includes(part))

/** Takes both colour schemes from one visit, without loading the page again. */
async function shoot(page: Page, address: string, screen: Screen): Promise<Buffer[]> {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(address)
  const { all, content, height } = await page.evaluate(() => {
    // A field with the focus has scrolled the page, together with the band of test mode.
    scrollTo(0, 0)
    const { clientWidth, scrollHeight } = document.documentElement
    const main = document.querySelector('main')
    return { all: clientWidth, content: main?.clientWidth ?? clientWidth, height: scrollHeight }
  })
  const width = Math.min(all, content + 2 * MARGIN)
  const isCut = screen === 'sight'
  const clip = { x: (all - width) / 2, y: 0, width, height: isCut ? SCREENS.sight.height : height }
  const pictures: Buffer[] = []
  for (const colorScheme of SCHEMES) {
    if (colorScheme !== 'light') await page.emulateMedia({ colorScheme })
    pictures.push(
      await page.screenshot({ clip, fullPage: !isCut, type: 'jpeg', quality: 92, animations: 'disabled' }),
    )
  }
  return pictures
}

async function takeSheets(locale: string, screen: Screen): Promise<void> {
  const page = await browser.newPage({ viewport: SCREENS[screen] })
  const shots: Shot[][] = SCHEMES.map(() => [])
  for (const label of names) {
    const pictures = await shoot(page, gallery.addressOf(label, locale), screen)
    for (const [at, picture] of pictures.entries()) shots[at]?.push({ label, picture })
  }
  await page.close()
  for (const [at, scheme] of SCHEMES.entries())
    await writeSheets(folder, `${locale}-${screen}-${scheme}`, shots[at] ?? [])
}

const started = performance.now()
// Two at a time, so that one takes pictures while the other waits for the browser.
for (const locale of gallery.locales) await Promise.all(screens.map((screen) => takeSheets(locale, screen)))
if (names.includes(PAPER)) {
  const page = await browser.newPage()
  await page.goto(gallery.addressOf(PAPER, 'en'))
  await page.pdf({ path: join(folder, `${PAPER}.pdf`), format: 'A4' })
}
const isWanted = (name: string) => part === '' || part.startsWith(name)
const posters = isWanted('poster') ? await printPosters(browser, gallery, folder) : 0
const mails =
  isWanted('mail') && screens.includes('phone')
    ? await takeMails(browser, folder, {
        locales: gallery.locales,
        part,
        screen: SCREENS.phone,
        schemes: SCHEMES,
      })
    : 0
await gallery.close()
await browser.close()
const seconds = Math.round((performance.now() - started) / 1000)
console.log(
  `Pictures of ${names.length} pages and ${mails} mails are on the sheets in ${folder}, and ${posters} posters as PDF (${seconds} s)`,
)

/** Returns how many posters were printed. @throws Error for one that is not exactly one page of its paper */
async function printPosters(browser: Browser, gallery: Gallery, folder: string): Promise<number> {
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
