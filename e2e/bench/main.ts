/**
 * `npm run bench:widget`: compares the widget with a hand-written button and with other vendors' buttons, in a Chromium with a
 * quarter of its speed. Every round runs every build. Compare only figures of the same run.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { brotliCompressSync } from 'node:zlib'
import { chromium } from 'playwright'
import { findChromium } from '../support/browser.ts'
import { ANSWER_PATH, type Build, KASSA, listBuilds } from './builds.ts'
import { measure, pageOf, type Run } from './measure.ts'

const SLOWDOWN = 4
const USAGE = `Compares the pay button with a hand-written one and with vendors' buttons, in a Chromium with a quarter of its speed.
Build the widget first: npm run build

  npm run bench:widget -- [--vendors FOLDER] [--before FILE] [--rounds N]

  --vendors FOLDER  Also measure @adyen/adyen-web and @shopify/buy-button-js, which are installed in this folder
  --before FILE     Also measure this kassa.js, for example of an earlier version
  --rounds N        How often each build is measured (default 20)
  --help            Show this text`
const { values } = parseArgs({
  options: {
    vendors: { type: 'string' },
    before: { type: 'string' },
    rounds: { type: 'string', default: '20' },
    help: { type: 'boolean', short: 'h' },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit()
}

const median = (numbers: number[]) =>
  numbers.sort((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN
const middle = (runs: Run[], key: keyof Run) => median(runs.map((run) => run[key]))

async function serve(builds: Build[]): Promise<{ origin: string; close(): void }> {
  const scripts = builds.map(({ script }) => brotliCompressSync(script))
  const server = createServer((request, response) => {
    if (request.url === ANSWER_PATH) return void response.writeHead(200).end()
    const [, index = '', kind] = /^\/(\d+)\.(html|js)$/.exec(request.url ?? '') ?? []
    const build = builds[Number(index)]
    if (!build || !kind) return void response.writeHead(404).end()
    if (kind === 'html')
      return void response.writeHead(200, { 'content-type': 'text/html' }).end(pageOf(build, `/${index}.js`))
    response
      .writeHead(200, { 'content-type': 'text/javascript', 'content-encoding': 'br' })
      .end(scripts[Number(index)])
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

const { builds, skipped } = await listBuilds(values.vendors, values.before)
for (const name of skipped)
  console.log(
    `Skipped ${name}. To measure it, run npm install ${name} in an empty folder and pass that as --vendors.`,
  )
const { origin, close } = await serve(builds)
const browser = await chromium.launch({
  executablePath: findChromium() ?? '',
  args: [
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--disable-gpu',
    '--disable-background-networking',
  ],
})
const runs = new Map<string, Run[]>(builds.map(({ name }) => [name, []]))
// One more round than requested. The first round warms up the browser and does not count.
for (let round = 0; round <= Number(values.rounds); round++)
  for (const [index, { name }] of builds.entries()) {
    const run = await measure(browser, `${origin}/${index}.html`, SLOWDOWN)
    if (round > 0) runs.get(name)?.push(run)
  }
await browser.close()
close()

const of = (name: string, key: keyof Run) => middle(runs.get(name) ?? [], key)
console.table(
  Object.fromEntries(
    builds.map(({ name, script }) => [
      name,
      {
        'brotli bytes': brotliCompressSync(script).length,
        'evaluation CPU ms': of(name, 'cpu').toFixed(1),
        'ready ms': of(name, 'ready').toFixed(0),
        'long tasks over empty': of(name, 'longTasks') - of('empty page', 'longTasks'),
        'heap KB over empty': ((of(name, 'heap') - of('empty page', 'heap')) / 1024).toFixed(0),
      },
    ]),
  ),
)
const aims: [string, number, number][] = [
  ['evaluation CPU / vanilla', of(KASSA, 'cpu') / of('vanilla', 'cpu'), 2.6],
  ['ready / @adyen/adyen-web', of(KASSA, 'ready') / of('@adyen/adyen-web', 'ready'), 0.35],
  ['ready / @shopify/buy-button-js', of(KASSA, 'ready') / of('@shopify/buy-button-js', 'ready'), 0.2],
  ['long tasks over empty', of(KASSA, 'longTasks') - of('empty page', 'longTasks'), 0],
  ['heap KB over empty', (of(KASSA, 'heap') - of('empty page', 'heap')) / 1024, 150],
]
for (const [what, value, aim] of aims)
  if (!Number.isNaN(value))
    console.log(`${value <= aim ? 'met   ' : 'MISSED'} ${what}: ${value.toFixed(2)} (aim: at most ${aim})`)
