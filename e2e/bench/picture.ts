/**
 * Makes the pictures in the README: the demo shop, its checkout at the simulated bank, and what the shop knows before it ships; then
 * the console after two sales and a payment that was declined. `npm run generate -- pictures` takes screenshots of the real pages and writes public/demo.webp and
 * public/console.webp.
 */
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright'
import { findChromium } from '../support/browser.ts'
import { arriveAtCheckout, chooseAtBank, payButton } from '../support/buyer.ts'
import { addAuthenticator } from '../support/console.ts'
import { startKassa } from '../support/kassa.ts'

const FOLDER = new URL('../../public/', import.meta.url)
const SCREEN = { width: 420, height: 840 }
const QUALITY = 70
const DECIDES_WITHIN_MS = 15_000

const executablePath = findChromium()
if (!executablePath) throw new Error('There is no Chromium. To get one: node e2e/support/browser.ts')

const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
const browser = await chromium.launch({ executablePath, args })
const kassa = await startKassa()
const demo: string[] = []
const desk: string[] = []
await buyTea('paid', demo)
await buyTea('declined')
await buyTea('paid')
await runShop()
for (const [name, shots] of Object.entries({ demo, console: desk })) {
  const file = fileURLToPath(new URL(`${name}.webp`, FOLDER))
  // Use a separate page, because the shop's content policy would block the style.
  await writeFile(file, await sideBySide(await browser.newPage(), shots))
  console.log(`The picture is in ${file}`)
}
await browser.close()
await kassa.stop()

async function take(page: Page, shots: string[] | undefined): Promise<void> {
  shots?.push((await page.screenshot()).toString('base64'))
}

async function buyTea(outcome: 'paid' | 'declined', shots?: string[]): Promise<void> {
  const page = await browser.newPage({ viewport: SCREEN, locale: 'en-US' })
  await page.goto(`${kassa.url}/demo/`)
  await payButton(page).waitFor()
  // Scroll so that the button is near the lower edge and the tea above it.
  await payButton(page).evaluate((button) => {
    button.scrollIntoView({ block: 'end' })
    scrollBy(0, 110)
  })
  await take(page, shots)
  await payButton(page).click()
  await arriveAtCheckout(page)
  await page.getByTestId('pay').click()
  await page.getByTestId('bank').waitFor()
  await take(page, shots)
  await page.goBack()
  await chooseAtBank(page, outcome)
  if (outcome === 'paid') {
    const shipped = page.locator('[data-testid="verdict"][data-state="may-ship"]')
    await shipped.waitFor({ timeout: DECIDES_WITHIN_MS })
  }
  await take(page, shots)
  await page.close()
}

/** Sees today, one payment and the counter. */
async function runShop(): Promise<void> {
  const context = await browser.newContext({ viewport: SCREEN, locale: 'en-US' })
  const page = await context.newPage()
  await addAuthenticator(page)
  await page.goto(kassa.consoleLink)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.waitForURL('**/sandbox/today')
  await take(page, desk)
  const { origin } = new URL(page.url())
  await page.goto(`${origin}/sandbox/payments`)
  await page.locator('.row').first().click()
  await page.locator('.sentence').waitFor()
  await take(page, desk)
  const title = (await page.locator('h1').textContent()) ?? ''
  const number = title.split(' ').slice(-2).join(' ')
  await page.goto(`${origin}/sandbox/counter?${new URLSearchParams({ q: number })}`)
  await take(page, desk)
  await context.close()
}

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
