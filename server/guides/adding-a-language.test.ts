/** Follows the guide on adding a language in a copy of the sources, and then buys in that language. */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payAtBank } from '../testing/calls.ts'
import {
  type Kassa,
  type KassaProcess,
  openShop,
  SHOP_ORIGIN,
  type Shop,
  spawnKassa,
  startKassa,
} from '../testing/harness.ts'
import { operateProcess } from '../testing/operator.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ROW = "  ka: { own: 'ქართული', english: 'Georgian' },\n"

let folder: string
let kassa: Kassa
let shop: Shop
let georgian: KassaProcess
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-language-'))
  const isTest = (path: string) => path.endsWith('.test.ts')
  for (const name of ['server', 'public', 'package.json'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true, filter: (path) => !isTest(path) })
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await followGuide()
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
  georgian = await spawnKassa({ DATABASE_URL: kassa.databaseUrl }, join(folder, 'server/main.ts'))
}, 60_000)
afterAll(async () => {
  await georgian?.kill('SIGTERM')
  await kassa?.close()
  await rm(folder, { recursive: true, force: true })
})

/** The steps of `Adding a language`, section `The hosted pages`. The sentences stay English. */
async function followGuide(): Promise<void> {
  const words = 'server/pages/words'
  await edit('server/contract/languages.ts', /^} as const/m, `${ROW}} as const`)
  await copy(`${words}/messages-en.ts`, `${words}/messages-ka.ts`, /\bEN\b/, 'KA')
  await copy(`${words}/install-messages-en.ts`, `${words}/install-messages-ka.ts`, /INSTALL_EN/, 'INSTALL_KA')
  await copy(
    'server/channels/doctor/words.ts',
    `${words}/install-findings-ka.ts`,
    /DIAGNOSIS_EN/,
    'FINDINGS_KA',
  )
  await enter(`${words}/messages.ts`, 'KA', 'messages-ka', /en: EN\b/)
  await enter(`${words}/install-messages.ts`, 'INSTALL_KA', 'install-messages-ka', /en: INSTALL_EN\b/)
  await enter(`${words}/install-messages.ts`, 'FINDINGS_KA', 'install-findings-ka', /en: DIAGNOSIS_EN\b/)
}

async function edit(name: string, what: RegExp, by: string): Promise<void> {
  const text = await readFile(join(folder, name), 'utf8')
  expect(text, name).toMatch(what)
  await writeFile(join(folder, name), text.replace(what, by))
}

/** Copies the table alone, under a new name. */
async function copy(from: string, to: string, table: RegExp, name: string): Promise<void> {
  const [whole] = /export const \w+ = \{\n.*?\n\}/s.exec(await readFile(join(folder, from), 'utf8')) ?? ['']
  await writeFile(join(folder, to), `${whole.replace(table, name)}\n`)
}

/** Adds the table to a list beside the English one. */
async function enter(list: string, table: string, file: string, english: RegExp): Promise<void> {
  await edit(list, english, `$&, ka: ${table}`)
  await edit(list, /^import /m, `import { ${table} } from './${file}.ts'\nimport `)
}

const show = async (path: string, language = 'en') => {
  const headers = { accept: 'text/html', 'accept-language': language }
  const answer = await fetch(new URL(path, georgian.url), { headers })
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
    const link = /<a href="([^"]*)" lang="ka" hreflang="ka">ქართული<\/a>/.exec(armenian.html)?.[1]
    expect([path, armenian.status, link]).toEqual([path, status, expect.stringContaining('locale=ka')])
    const translated = await show(link?.replaceAll('&amp;', '&') ?? '')
    expect([path, translated.status, translated.html]).toEqual([
      path,
      status,
      expect.stringContaining('<html lang="ka">'),
    ])
  }
})

test('a buyer presses the button and pays in the new language', async () => {
  const answer = await fetch(`${georgian.url}/api/widget/checkout`, {
    method: 'POST',
    headers: { origin: SHOP_ORIGIN, 'content-type': 'application/json', 'accept-language': 'ka-GE' },
    body: JSON.stringify({ publicKey: shop.publicKey, productId: 'tea', clientReference: 'click-1' }),
  })
  const { checkoutUrl, paymentId } = (await answer.json()) as { checkoutUrl: string; paymentId: string }
  expect([answer.status, checkoutUrl]).toEqual([201, expect.any(String)])
  const { rows } = await kassa.ctx.db.query('select locale from sandbox.payments where id = $1', [paymentId])
  expect(rows).toEqual([{ locale: 'ka' }])
  const page = await show(checkoutUrl, 'ka')
  expect(page).toEqual({ status: 200, html: expect.stringContaining('<html lang="ka">') })
  expect(await payAtBank(`${checkoutUrl}/continue`, 'paid')).toContain(`${SHOP_ORIGIN}/thanks`)
})

test("the operator's commands take a text in the new language, and its pages show it", async () => {
  const name = 'ჩაი'
  const flags = ['--id', 'tea', '--name', 'Tea', '--name-ka', name, '--amount', '19.00', '--currency', 'USD']
  const { code, stdout } = await operateProcess(
    { DATABASE_URL: kassa.databaseUrl },
    ['product', 'set', '--merchant', shop.merchantId, ...flags],
    join(folder, 'server/admin.ts'),
  )
  expect([code, stdout]).toEqual([0, expect.stringContaining(name)])
  await expect.poll(async () => (await show(`/pay/${shop.publicKey}/tea`, 'ka')).html).toContain(name)
})
