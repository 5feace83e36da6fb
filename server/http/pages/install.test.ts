import { afterAll, beforeAll, expect, test } from 'vitest'
import { createInstallation, revokeInstallation } from '../../merchants/installation.ts'
import { createMerchant } from '../../merchants/merchant.ts'
import { setProduct } from '../../merchants/product.ts'
import { type Kassa, openShop, SHOP_ORIGIN, type Shop, startKassa } from '../../testing/harness.ts'
import { FINDINGS, INSTALL_MESSAGES } from './install-messages.ts'
import { LOCALES } from './locale.ts'

let kassa: Kassa
let shop: Shop

beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
})
afterAll(() => kassa.close())

const open = (key: string, query = '') => fetch(`${kassa.url}/install/${key}${query}`)

test('the install page holds no secret and nothing of other merchants, whatever it is asked', async () => {
  const neighbour = await createMerchant(kassa.ctx, { name: 'Neighbour' })
  const rest = { name: 'Theirs', amountMinor: 100, currency: 'USD', provider: 'route_b' } as const
  await setProduct(kassa.ctx, { merchantId: neighbour.merchantId, id: 'theirs', ...rest })
  const queries = [
    '',
    '?product=theirs',
    '?site=https://other.example&csp=x&back=/y',
    `?site=${SHOP_ORIGIN}&locale=ru`,
  ]
  const answers = await Promise.all(queries.map((query) => open(shop.publicKey, query)))
  for (const answer of answers) {
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-security-policy')).toMatch(
      /script-src 'self';.*connect-src \S+\/install\/$/,
    )
    const text = await answer.text()
    expect(text).toContain('noindex')
    for (const secret of [
      shop.token,
      shop.webhookSecret,
      shop.merchantId,
      shop.installationId,
      neighbour.merchantId,
    ])
      expect(text).not.toContain(secret)
    expect(text).not.toMatch(
      /ksk_|whsec_|mer_|ins_|Neighbour|Theirs|route_|<script(?! type="module")|style="/,
    )
  }
})

test('an unknown key and a withdrawn one are told alike', async () => {
  const gone = await openShop(kassa.ctx)
  await revokeInstallation(kassa.ctx, gone.installationId)
  const [unknown, withdrawn] = await Promise.all(['kpk_none', gone.publicKey].map((key) => open(key)))
  expect([unknown?.status, withdrawn?.status]).toEqual([404, 404])
  const plain = async (answer?: Response) => (await answer?.text())?.replaceAll(/kpk_[\w-]+/g, '')
  expect(await plain(unknown)).toBe(await plain(withdrawn))
})

test('what is asked for and makes no sense is as if it were not asked', async () => {
  const odd = '?product=none&language=__proto__&background=red&radius=-1&version=x&label=%20&site=%00'
  const [plain, asked] = await Promise.all([open(shop.publicKey), open(shop.publicKey, odd)])
  const code = async (answer: Response) =>
    /<code id="snippet-html".*?<\/code>/s.exec(await answer.text())?.[0]
  expect(asked.status).toBe(200)
  expect(await code(asked)).toBe(await code(plain))
})

test('a seller of nothing yet gets the page without snippets', async () => {
  const { merchantId } = await createMerchant(kassa.ctx, { name: '<b>New</b>' })
  const { publicKey } = await createInstallation(kassa.ctx, { merchantId, origins: ['https://new.example'] })
  const text = await (await open(publicKey)).text()
  expect(text).toContain('&lt;b>New&lt;/b>')
  expect(text).toContain('Nothing is for sale')
  expect(text).not.toContain('snippet-html')
})

test.each([
  ['the page', INSTALL_MESSAGES],
  ['the findings', FINDINGS],
])('%s has the same holes in every language', (_, tables) => {
  const holes = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([hole]) => hole).sort()
  for (const locale of LOCALES)
    for (const [key, text] of Object.entries(tables[locale]))
      expect([key, holes(text)]).toEqual([key, holes((tables.en as Record<string, string>)[key] ?? '')])
})
