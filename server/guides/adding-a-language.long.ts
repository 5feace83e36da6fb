/** Follows the guide on adding a language in a copy of the sources, and then buys in that language. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CONSOLE_WORDS } from '../console/words/translate.ts'
import { payAtBank } from '../testing/calls.ts'
import { openBrowser } from '../testing/console.ts'
import {
  freePort,
  type Kassa,
  type KassaProcess,
  openShop,
  SHOP_ORIGIN,
  type Shop,
  spawnKassa,
  startKassa,
} from '../testing/harness.ts'
import { operateProcess } from '../testing/operator.ts'
import { copySources, type EditedCopy } from '../testing/releases/edited-copy.ts'

// No language that somebody will add has this code: ISO 639 leaves it to private use.
const ROW = "  qaa: { own: 'Qaaqaa', english: 'Invented' },\n"

let sources: EditedCopy
let kassa: Kassa
let shop: Shop
let next: KassaProcess
let consolePort: string
beforeAll(async () => {
  sources = await copySources()
  await followGuide()
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
  consolePort = String(await freePort())
  const settings = { DATABASE_URL: kassa.databaseUrl, CONSOLE_PORT: consolePort }
  next = await spawnKassa(settings, sources.path('server/main.ts'))
})
afterAll(async () => {
  await next?.kill('SIGTERM')
  await kassa?.close()
  await sources?.remove()
})

/** The steps of `Adding a language`, section `Translate`. The sentences stay English. */
async function followGuide(): Promise<void> {
  await sources.edit('server/contract/languages.ts', /^} as const/m, `${ROW}} as const`)
  for (const name of ['bank', 'findings', 'install', 'mails', 'orders', 'pages'])
    await sources.write(
      `server/messages/qaa/${name}.json`,
      await sources.read(`server/messages/en/${name}.json`),
    )
}

test('the compiler finds nothing else to do', async () => {
  const only = { extends: './tsconfig.json', include: [], files: ['server/main.ts', 'server/admin.ts'] }
  await sources.write('tsconfig.copy.json', JSON.stringify(only))
  const compiler = sources.path('node_modules/.bin/tsc')
  const run = promisify(execFile)(compiler, ['-p', sources.path('tsconfig.copy.json'), '--checkers', '1'])
  const { stdout } = await run.catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
})

const show = async (path: string, language = 'en') => {
  const headers = { accept: 'text/html', 'accept-language': language }
  const answer = await fetch(new URL(path, next.url), { headers })
  return { status: answer.status, html: await answer.text() }
}

test('every page has the new language, and links to it from the others', async () => {
  const { publicKey } = shop
  for (const [path, status] of [
    [`/pay/${publicKey}/tea`, 200],
    [`/install/${publicKey}`, 200],
    [`/install/${publicKey}/poster?product=tea`, 200],
    [`/install/${publicKey}?site=https://www.shop.example`, 200],
    ['/no-such-page', 404],
  ] as const) {
    const armenian = await show(path, 'hy')
    const link = /<a href="([^"]*)" lang="qaa" hreflang="qaa">Qaaqaa<\/a>/.exec(armenian.html)?.[1]
    expect([path, armenian.status, link]).toEqual([path, status, expect.stringContaining('locale=qaa')])
    const translated = await show(link?.replaceAll('&amp;', '&') ?? '')
    expect([path, translated.status, translated.html]).toEqual([
      path,
      status,
      expect.stringContaining('<html lang="qaa">'),
    ])
  }
})

test('a buyer presses the button and pays in the new language', async () => {
  const answer = await fetch(`${next.url}/api/widget/checkout`, {
    method: 'POST',
    headers: { origin: SHOP_ORIGIN, 'content-type': 'application/json', 'accept-language': 'qaa-AM' },
    body: JSON.stringify({ publicKey: shop.publicKey, productId: 'tea', clientReference: 'click-1' }),
  })
  const { checkoutUrl, paymentId } = (await answer.json()) as { checkoutUrl: string; paymentId: string }
  expect([answer.status, checkoutUrl]).toEqual([201, expect.any(String)])
  const { rows } = await kassa.ctx.db.query('select locale from sandbox.payments where id = $1', [paymentId])
  expect(rows).toEqual([{ locale: 'qaa' }])
  const page = await show(checkoutUrl, 'qaa')
  expect(page).toEqual({ status: 200, html: expect.stringContaining('<html lang="qaa">') })
  expect(await payAtBank(`${checkoutUrl}/continue`, 'paid')).toContain(`${SHOP_ORIGIN}/thanks`)
})

test("the operator's commands take a text in the new language, and its pages show it", async () => {
  const name = 'Qaatea'
  const flags = ['--id', 'tea', '--name', 'Tea', '--name-qaa', name, '--amount', '19.00', '--currency', 'USD']
  const { code, stdout } = await operateProcess(
    { DATABASE_URL: kassa.databaseUrl },
    ['product', 'set', '--merchant', shop.merchantId, ...flags],
    sources.path('server/admin.ts'),
  )
  expect([code, stdout]).toEqual([0, expect.stringContaining(name)])
  await expect.poll(async () => (await show(`/pay/${shop.publicKey}/tea`, 'qaa')).html).toContain(name)
})

test('the console has the new language, with English words until somebody translates them', async () => {
  const browser = openBrowser({ origin: `http://localhost:${consolePort}` })
  const armenian = await browser.get('/sign-in', { 'accept-language': 'hy' })
  expect(armenian.text).toContain(CONSOLE_WORDS.hy.welcomeText)
  expect(armenian.text).toContain('Qaaqaa')
  await browser.get('/sign-in?locale=qaa')
  const translated = await browser.get('/sign-in')
  expect([translated.status, translated.text]).toEqual([200, expect.stringContaining('<html lang="qaa">')])
  expect(translated.text).toContain(CONSOLE_WORDS.en.welcomeText)
})

test('the owner of a shop is told of orders in the new language', async () => {
  const { code, stdout } = await operateProcess(
    { DATABASE_URL: kassa.databaseUrl },
    ['order', 'mails', '--merchant', shop.merchantId, '--email', 'owner@shop.example', '--language', 'qaa'],
    sources.path('server/admin.ts'),
  )
  expect([code, stdout]).toEqual([0, expect.stringMatching(/Language +qaa/)])
})
