/** Products in several languages, amounts that buyers choose, and quantities: from the command to the payment. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { listPayments } from '../../storage/search/list.ts'
import { clickWidget, readPage } from '../../testing/calls.ts'
import { openShop, type Shop } from '../../testing/harness.ts'
import { operateHere } from '../../testing/operator.ts'
import { forgetCached } from '../../testing/real-time.ts'
import { openKassa } from '../../testing/scene.ts'

let shop: Shop
const kassa = await openKassa()
const folder = await mkdtemp(join(tmpdir(), 'kassa-product-'))
beforeEach(async () => {
  shop = await openShop(kassa.ctx)
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

async function set(id: string, ...args: string[]) {
  const output = await operateHere(
    async () => kassa.ctx,
    ['product', 'set', '--merchant', shop.merchantId, '--id', id, ...args, '--json'],
  )
  return { code: output.code, answer: JSON.parse(output.stdout) }
}
const GIFT = ['--name', 'Gift', '--amount', '2000', '--currency', 'AMD']
const LIMITS = ['--min-amount', '500', '--max-amount', '500000', '--step', '100', '--suggest', '1000', '5000']
const CUP = ['--name', 'Cup', '--amount', '15.00', '--currency', 'USD']

const page = (id: string, locale = 'en') => readPage(`${kassa.url}/pay/${shop.publicKey}/${id}`, locale)
const tokenOf = (html: string) => /name="token" value="([^"]+)"/.exec(html)?.[1] ?? ''
async function send(id: string, form: Record<string, string>, token?: string) {
  const body = new URLSearchParams({ token: token ?? tokenOf((await page(id)).html), ...form })
  const headers = { 'sec-fetch-site': 'same-origin' }
  const answer = await fetch(`${kassa.url}/pay/${shop.publicKey}/${id}`, {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
  })
  return { status: answer.status, location: answer.headers.get('location'), html: await answer.text() }
}
const payments = () => listPayments(kassa.ctx.db, { merchantId: shop.merchantId, limit: 50 })

test('a page shows the name, the description and the picture in its language, and the default text if there is none', async () => {
  const path = join(folder, 'cup.jpg')
  await writeFile(
    path,
    await sharp({ create: { width: 40, height: 30, channels: 3, background: '#2a6' } })
      .jpeg()
      .toBuffer(),
  )
  const texts = [
    '--name-ru',
    'Чашка',
    '--name-hy',
    'Բաժակ',
    '--description',
    'For tea.',
    '--description-ru',
    'Для чая.',
    '--picture',
    path,
  ]
  const { answer } = await set('mug', ...CUP, ...texts)
  const picture = new URL(answer.product.picture.url).pathname
  expect((await fetch(kassa.url + picture)).headers.get('content-type')).toBe('image/webp')
  const [hy, ru, en] = await Promise.all(
    ['hy', 'ru', 'en'].map(async (locale) => (await page('mug', locale)).html),
  )
  for (const html of [hy, ru, en]) expect(html).toContain(`src="${picture}"`)
  expect(hy).toMatch(/Բաժակ[\s\S]*For tea\./)
  expect(ru).toMatch(/Чашка[\s\S]*Для чая\./)
  expect(en).toMatch(/Cup[\s\S]*For tea\./)
  expect(en).toContain(`property="og:image" content="${kassa.ctx.baseUrl}${picture}"`)

  const { body } = await clickWidget(kassa.url, shop, { body: { productId: 'mug' } })
  expect(body.product).toEqual({ id: 'mug', name: 'Cup' })
  const checkout = new URL(body.checkoutUrl).pathname
  expect((await readPage(kassa.url + checkout, 'ru')).html).toMatch(/Чашка[\s\S]*Для чая\./)
  await set('mug', '--name', 'Jar', '--amount', '15.00', '--currency', 'USD')
  forgetCached()
  const later = (await readPage(kassa.url + checkout, 'ru')).html
  expect([later.includes('<bdi>Cup</bdi>'), later.includes('Чашка')]).toEqual([true, false])
})

test('a change of the price keeps texts, picture and limits, and parts can be removed', async () => {
  await set('gift', ...GIFT, ...LIMITS, '--name-ru', 'Подарок', '--description', 'Thanks')
  const kept = (await set('gift', '--name', 'Gift', '--amount', '1000', '--currency', 'AMD')).answer.product
  expect(kept).toMatchObject({
    names: { ru: 'Подарок' },
    description: 'Thanks',
    choice: { minMinor: 50_000, stepMinor: 10_000 },
  })
  const left = (await set('gift', ...GIFT, '--remove', 'chosen-amount', 'description')).answer.product
  expect([left.choice, left.description, left.names]).toEqual([undefined, undefined, { ru: 'Подарок' }])
})

describe('an amount that the buyer chooses', () => {
  beforeEach(() => set('gift', ...GIFT, ...LIMITS))

  test('becomes the amount of the payment, typed or suggested', async () => {
    const { html } = await page('gift')
    expect([...html.matchAll(/name="amount" value="(\d+)"/g)].map(([, value]) => value)).toEqual([
      '1000',
      '5000',
    ])
    expect(html).not.toContain('data-testid="amount"')
    expect((await send('gift', { amount: '1 700 ֏' })).status).toBe(303)
    const [payment] = await payments()
    expect(payment).toMatchObject({
      amountMinor: 170_000,
      currency: 'AMD',
      description: 'Gift',
      metadata: { productId: 'gift' },
    })
  })

  test.each(['', '499', '500100', '550', '700.50', '1e4', '-700', 'all'])(
    '%j is rejected, stays in the field, and creates nothing',
    async (amount) => {
      const { status, html } = await send('gift', { amount })
      expect(status).toBe(422)
      expect(html).toContain('role="alert"')
      expect(html).toContain('aria-invalid="true"')
      if (amount) expect(html).toContain(`value="${amount}"`)
      expect(await payments()).toEqual([])
    },
  )

  test('the same form sent ten times makes one payment, and with another amount another payment', async () => {
    const token = tokenOf((await page('gift')).html)
    const sent = await Promise.all(Array.from({ length: 10 }, () => send('gift', { amount: '1000' }, token)))
    expect(new Set(sent.map(({ status, location }) => `${status} ${location}`)).size).toBe(1)
    expect((await send('gift', { amount: '5000' }, token)).location).not.toBe(sent[0]?.location)
    expect((await payments()).map(({ amountMinor }) => amountMinor).sort()).toEqual([100_000, 500_000])
  })

  test('limits that changed since the page was opened are shown first', async () => {
    const token = tokenOf((await page('gift')).html)
    await set('gift', ...GIFT, '--min-amount', '1500', '--suggest', '3000')
    forgetCached()
    expect((await send('gift', { amount: '1000' }, token)).status).toBe(409)
    expect((await send('gift', { amount: '1000' })).status).toBe(422)
  })

  test("the button's request is rejected, names the payment page, and accepts no amount", async () => {
    const { status, body } = await clickWidget(kassa.url, shop, { body: { productId: 'gift' } })
    expect([status, body.error.code]).toEqual([422, 'amount_chosen_by_buyer'])
    expect(body.errors.productId).toContain(`/pay/${shop.publicKey}/gift`)
    const priced = await clickWidget(kassa.url, shop, { body: { productId: 'gift', amount: '1000' } })
    expect(priced.body.errors).toHaveProperty('amount')
    const install = await readPage(`${kassa.url}/install/${shop.publicKey}?product=gift`)
    expect(install.html).toContain('data-testid="amount-chosen"')
    expect(install.html).toContain('data-testid="poster"')
    expect(install.html).not.toContain('<kassa-pay')
  })

  test.each([
    [['--max-amount', '400'], 'smallest amount is larger'],
    [['--amount', '2050'], 'in whole steps'],
    [['--suggest', '1050'], 'in whole steps'],
    [['--step', '0.50'], 'must be whole'],
    [['--max-quantity', '3'], 'not both'],
    [['--max-amount', '20000000000'], 'larger than one payment'],
  ])('invalid limits are rejected: %s', async (wrong, why) => {
    const given =
      wrong[0] === '--amount' ? ['--name', 'Gift', '--currency', 'AMD', ...wrong] : [...GIFT, ...wrong]
    const { code, answer } = await set('gift', ...given)
    expect([code, answer.error.message]).toEqual([1, expect.stringContaining(why)])
  })
})

describe('a quantity', () => {
  test('multiplies the price, up to the greatest quantity, and the page shows each total', async () => {
    await set('cups', ...CUP, '--max-quantity', '3')
    const { html } = await page('cups')
    expect(html.match(/\$\d+\.\d\d<\/option>/g)).toEqual([
      '$15.00</option>',
      '$30.00</option>',
      '$45.00</option>',
    ])
    expect((await send('cups', { quantity: '3' })).status).toBe(303)
    expect((await payments())[0]).toMatchObject({
      amountMinor: 4_500,
      description: 'Cup × 3',
      metadata: { quantity: 3 },
    })
  })

  test.each(['0', '4', '-1', '1.5', '', '٣'])('%j is rejected', async (quantity) => {
    await set('cups', ...CUP, '--max-quantity', '3')
    expect((await send('cups', { quantity })).status).toBe(422)
    expect(await payments()).toEqual([])
  })

  test('a product without one ignores it, and the button sells one', async () => {
    expect((await send('tea', { quantity: '5', amount: '1' })).status).toBe(303)
    await set('cups', ...CUP, '--max-quantity', '3')
    expect((await clickWidget(kassa.url, shop, { body: { productId: 'cups' } })).body.amountMinor).toBe(1_500)
    expect((await payments()).map(({ amountMinor }) => amountMinor).sort()).toEqual([1_500, 1_900])
  })
})
