/**
 * Makes the picture in the README: the demo shop, its checkout at the simulated bank, and what the shop knows before it
 * ships. `npm run picture` takes screenshots of the real demo shop and writes public/demo.webp.
 */
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright'
import { findChromium } from '../support/browser.ts'
import { arriveAtCheckout, chooseAtBank, payButton } from '../support/buyer.ts'
import { startKassa } from '../support/kassa.ts'

const FILE = fileURLToPath(new URL('../../public/demo.webp', import.meta.url))
const SCREEN = { width: 420, height: 840 }
const QUALITY = 70
const DECIDES_WITHIN_MS = 15_000

const executablePath = findChromium()
if (!executablePath) throw new Error('There is no Chromium. To get one: node e2e/support/browser.ts')

const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
const browser = await chromium.launch({ executablePath, args })
const kassa = await startKassa()
const page = await browser.newPage({ viewport: SCREEN, locale: 'en-US' })
const shots: string[] = []
const take = async () => void shots.push((await page.screenshot()).toString('base64'))

await page.goto(`${kassa.url}/demo/`)
await payButton(page).waitFor()
// Scroll so that the button is near the lower edge and the tea above it.
await payButton(page).evaluate((button) => {
  button.scrollIntoView({ block: 'end' })
  scrollBy(0, 110)
})
await take()
await payButton(page).click()
await arriveAtCheckout(page)
await page.getByTestId('pay').click()
await page.getByTestId('bank').waitFor()
await take()
await page.goBack()
await chooseAtBank(page, 'paid')
const shipped = page.locator('[data-testid="verdict"][data-state="may-ship"]')
await shipped.waitFor({ timeout: DECIDES_WITHIN_MS })
await take()
// Use a separate page, because the shop's content policy would block the style.
await writeFile(FILE, await sideBySide(await browser.newPage(), shots))
await browser.close()
await kassa.stop()
console.log(`The picture is in ${FILE}`)

/** Puts the pictures side by side into one WebP. */
async function sideBySide(on: Page, pictures: string[]): Promise<Buffer> {
  const gap = 16
  const width = pictures.length * SCREEN.width + (pictures.length + 1) * gap
  const height = SCREEN.height + 2 * gap
  await on.setViewportSize({ width, height })
  const images = pictures.map((data) => `<img src="data:image/png;base64,${data}" width="${SCREEN.width}">`)
  await on.setContent(
    `<style>body{display:flex;gap:${gap}px;margin:0;padding:${gap}px;background:#e2d6cb}img{border-radius:10px}</style>${images.join('')}`,
  )
  const session = await on.context().newCDPSession(on)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
  return Buffer.from(data, 'base64')
}
