/** Nothing on a page moves while the page arrives: neither when its end comes late, nor when its pictures do. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
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
      // Two frames, so that a shift by the last picture is told too.
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

const PIECES = 6
/** The pause is long enough for several frames, so that the browser paints what has arrived. */
const PAUSE_MS = 60
/** The pause after the last piece of a page. */
const PICTURE_MS = (PIECES + 2) * PAUSE_MS

/** A slow proxy in front of the gallery. Each page arrives in pieces with pauses between them, and its pictures arrive last. */
type SlowPages = { url: string; close(): Promise<void> }

/** `origin`: the server whose files are forwarded. */
async function serveSlowly(origin: string): Promise<SlowPages> {
  const server = createServer(async (request, response) => {
    const answer = await fetch(origin + request.url, { redirect: 'manual' })
    const type = answer.headers.get('content-type') ?? ''
    response.writeHead(answer.status, { 'content-type': type, 'cache-control': 'no-store' })
    if (type.startsWith('image/')) await sleep(PICTURE_MS)
    if (!type.startsWith('text/html')) return void response.end(Buffer.from(await answer.arrayBuffer()))
    for (const piece of piecesOf(await answer.text())) {
      response.write(piece)
      await sleep(PAUSE_MS)
    }
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Returns the head with the start of the body, and then the body in pieces that begin with a tag. The last piece is the footer. */
function piecesOf(html: string): string[] {
  const [from, to] = [html.indexOf('<body'), html.lastIndexOf('<footer')]
  const cuts = [to]
  for (let piece = 1; piece < PIECES; piece++) {
    const at = html.indexOf('<', from + Math.trunc(((to - from) * piece) / PIECES))
    if (at > from && at < to) cuts.push(at)
  }
  const places = [0, ...new Set(cuts.sort((a, b) => a - b)), html.length]
  return places.slice(1).map((end, at) => html.slice(places[at], end))
}
