/** Nothing on a page moves while the page arrives: neither when its end comes late, nor when its pictures do. */
import { serveSlowly } from './support/slow-pages.ts'
import { expect, test } from './support/stage.ts'

const PAGES = [
  'checkout-branded',
  'checkout-created',
  'checkout-pending_payment',
  'receipt-branded',
  'pay-choice',
  'message-no_page',
  'install-poster-branded',
]
const SCREENS = { phone: { width: 430, height: 932 }, desktop: { width: 1280, height: 800 } }
/** Lighthouse calls 0.1 good. A page of ours has no reason to move at all. */
const SHIFT_LIMIT = 0.01

type Shift = PerformanceEntry & { value: number; sources: { node: Node | null }[] }
declare global {
  interface Window {
    shifts: string[]
    shifted: number
  }
}

for (const [screen, viewport] of Object.entries(SCREENS))
  test(`no page moves while it arrives slowly, on a ${screen}`, { tag: '@long' }, async ({
    browser,
    gallery,
  }) => {
    const slow = await serveSlowly(new URL(gallery.addressOf('', 'hy')).origin)
    const context = await browser.newContext({ viewport })
    await context.addInitScript(() => {
      window.shifted = 0
      window.shifts = []
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          const { value, sources } = entry as Shift
          window.shifted += value
          const moved = sources.map(({ node }) => (node as Element | null)?.className || node?.nodeName)
          window.shifts.push(`${value.toFixed(3)} ${moved.join(', ')}`)
        }
      }).observe({ type: 'layout-shift', buffered: true })
    })
    const look = async (name: string) => {
      const page = await context.newPage()
      await page.goto(gallery.addressOf(name, 'en').replace(/^http:\/\/[^/]+/, slow.url))
      // Two frames, because a shift by the last picture must be seen too.
      const found = await page.evaluate(async () => {
        for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve))
        return { shifted: window.shifted, shifts: window.shifts }
      })
      await page.close()
      return found.shifted < SHIFT_LIMIT ? [] : [`${name}: ${found.shifts.join('; ')}`]
    }
    const found: string[] = []
    for (const name of PAGES) found.push(...(await look(name)))
    expect(found).toEqual([])
    await context.close()
    await slow.close()
  })
