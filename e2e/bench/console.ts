/**
 * `npm run bench -- console`: when the console's first screens are painted on a slow phone: a new visit on a slow line with a quarter of
 * the processor. The line is Lighthouse's slow 4G in both of its readings: each request waits one round trip of 150 ms, or 3.75 of them, as
 * Lighthouse applies it in place of the connection's own round trips. Earlier builds are visited in the same rounds by the same browser, each
 * in a service that its own programs have started and filled. Compare only the ratios within one run, because machines differ.
 */
import { basename, join, resolve } from 'node:path'
import { Command } from 'commander'
import { type Browser, chromium, type Page } from 'playwright'
import { findHeadlessChromium } from '../support/browser.ts'

const SLOWDOWN = 4
const RTT_MS = 150
const KBIT_BYTES = 1_024 / 8
const LINES = {
  'one round trip': { latency: RTT_MS, down: 1_638.4, up: 675 },
  'as Lighthouse applies it': { latency: RTT_MS * 3.75, down: 1_638.4 * 0.9, up: 675 * 0.9 },
} as const
const SCREENS = ['today', 'payments?day=all', 'counter']
const AIM_MS = 1_500
const OWN_ROOT = join(import.meta.dirname, '../..')

type Line = (typeof LINES)[keyof typeof LINES]
type Visit = { paintMs: number; bytes: number }
type Build = {
  name: string
  visit(browser: Browser, screen: string, line: Line): Promise<Visit>
  stop(): Promise<void>
}

const { rounds, screen, against } = new Command('bench -- console')
  .option('--rounds <n>', 'visits of each screen; figures are medians over them', Number, 7)
  .option('--screen <screen...>', 'addresses of screens within the sandbox', SCREENS)
  .option(
    '--against <dir...>',
    'earlier builds, each a checkout with its node_modules, to measure beside this one',
    [],
  )
  .parse()
  .opts<{ rounds: number; screen: string[]; against: string[] }>()

const median = (numbers: number[]) =>
  numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN

/** Starts the Kassa of a checkout with the examples of its console, both by the checkout's own support of its tests. */
async function openBuild(root: string): Promise<Build> {
  const support = (name: string) => import(join(root, 'e2e/support', name))
  const { startKassa }: typeof import('../support/kassa.ts') = await support('kassa.ts')
  const { enter, openConsoleScene, originOf }: typeof import('../support/console.ts') =
    await support('console.ts')
  const kassa = await startKassa()
  const { sessions } = await openConsoleScene(kassa)
  return {
    name: root === OWN_ROOT ? 'kassa' : basename(root),
    stop: kassa.stop,
    async visit(browser, at, line) {
      const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
      await enter(context, kassa, sessions.administrator)
      const visit = await visitOn(await context.newPage(), `${originOf(kassa)}/sandbox/${at}`, line)
      await context.close()
      return visit
    },
  }
}

/** A visit of a phone that has nothing of the console yet. Returns when something was painted first, and the bytes of the line. */
async function visitOn(page: Page, address: string, line: Line): Promise<Visit> {
  const devtools = await page.context().newCDPSession(page)
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
  await page.goto(address, { waitUntil: 'load' })
  const paintMs = await page.evaluate(async () => {
    const first = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime
    while (first() === undefined) await new Promise(requestAnimationFrame)
    return first() as number
  })
  return { paintMs, bytes }
}

/** Returns the visits of each build, round by round. Every second round goes the other way, so that no build is always the first. */
async function runRounds(builds: Build[], visit: (build: Build) => Promise<Visit>): Promise<Visit[][]> {
  // The first round warms up the services and the browser, and does not count.
  for (const build of builds) await visit(build)
  const visits: Visit[][] = builds.map(() => [])
  for (let round = 0; round < rounds; round++) {
    const order = [...builds.keys()]
    for (const at of round % 2 ? order.reverse() : order) visits[at]?.push(await visit(builds[at] as Build))
  }
  return visits
}

const builds: Build[] = []
for (const root of [OWN_ROOT, ...against.map((given) => resolve(given))]) builds.push(await openBuild(root))
const browser = await chromium.launch({
  executablePath: findHeadlessChromium() ?? '',
  args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu'],
})
const rows: Record<string, Record<string, string | number>> = {}
for (const at of screen)
  for (const [name, line] of Object.entries(LINES)) {
    const visits = await runRounds(builds, (build) => build.visit(browser, at, line))
    const own = visits[0] ?? []
    for (const [index, build] of builds.entries()) {
      const theirs = visits[index] ?? []
      const paints = theirs.map(({ paintMs }) => paintMs)
      rows[`${at}, ${name}, ${build.name}`] = {
        'first paint, ms': Math.round(median(paints)),
        slowest: Math.round(Math.max(...paints)),
        'bytes of the line': theirs[0]?.bytes ?? 0,
        'kassa, of it': median(
          own.map(({ paintMs }, round) => paintMs / (paints[round] ?? Number.NaN)),
        ).toFixed(2),
      }
    }
  }
console.table(rows)
console.log(`The aim for today: ${AIM_MS} ms, and 1.0 of each earlier build.`)
await browser.close()
for (const build of builds) await build.stop()
