/**
 * `npm run bench -- console`: when the console's first screens are painted on a slow phone: a new visit on a slow line with a quarter of
 * the processor. The line is Lighthouse's slow 4G in both of its readings: each request waits one round trip of 150 ms, or 3.75 of them, as
 * Lighthouse applies it in place of the connection's own round trips.
 */
import { parseArgs } from 'node:util'
import { type Browser, chromium } from 'playwright'
import { findHeadlessChromium } from '../support/browser.ts'
import { enter, openConsoleScene, originOf } from '../support/console.ts'
import { startKassa } from '../support/kassa.ts'

const SLOWDOWN = 4
const RTT_MS = 150
const KBIT_BYTES = 1_024 / 8
const LINES = {
  'one round trip': { latency: RTT_MS, down: 1_638.4, up: 675 },
  'as Lighthouse applies it': { latency: RTT_MS * 3.75, down: 1_638.4 * 0.9, up: 675 * 0.9 },
} as const
const AIM_MS = 1_500
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } })

const median = (numbers: number[]) =>
  numbers.sort((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN

type Line = (typeof LINES)[keyof typeof LINES]
type Visit = { browser: Browser; secret: string; address: string; line: Line }

const kassa = await startKassa()

/** A visit of a phone that has nothing of the console yet. Returns when something was painted first, and the bytes of the line. */
async function visit({ browser, secret, address, line }: Visit): Promise<{ paintMs: number; bytes: number }> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
  await enter(context, kassa, secret)
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: line.latency,
    downloadThroughput: line.down * KBIT_BYTES,
    uploadThroughput: line.up * KBIT_BYTES,
  })
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
  let bytes = 0
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.goto(originOf(kassa) + address, { waitUntil: 'load' })
  const paintMs = await page.evaluate(async () => {
    const first = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime
    while (first() === undefined) await new Promise(requestAnimationFrame)
    return first() as number
  })
  await context.close()
  return { paintMs, bytes }
}

const { sessions } = await openConsoleScene(kassa)
const browser = await chromium.launch({
  executablePath: findHeadlessChromium() ?? '',
  args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu'],
})
const screens = ['today', 'payments?day=all', 'counter'] as const
const rows: Record<string, Record<string, string | number>> = {}
for (const screen of screens)
  for (const [name, line] of Object.entries(LINES)) {
    const runs: { paintMs: number; bytes: number }[] = []
    // The first round warms up the service and the browser, and does not count.
    for (let round = 0; round <= Number(values.rounds); round++) {
      const run = await visit({
        browser,
        secret: sessions.administrator,
        address: `/sandbox/${screen}`,
        line,
      })
      if (round > 0) runs.push(run)
    }
    const paints = runs.map(({ paintMs }) => paintMs)
    rows[`${screen}, ${name}`] = {
      'first paint, ms': Math.round(median(paints)),
      slowest: Math.round(Math.max(...paints)),
      'bytes of the line': runs[0]?.bytes ?? 0,
    }
  }
console.table(rows)
console.log(`The aim for today: ${AIM_MS} ms.`)
await browser.close()
await kassa.stop()
