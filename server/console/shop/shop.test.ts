/** My shop in the console: what its people change, who may, and what an attacker tries with each form. */
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readAuditChain } from '../../storage/audit/log.ts'
import { findProduct, listProducts } from '../../storage/merchants/products.ts'
import { type Desk, hiddenIn, openAs, startDesk, type TestBrowser } from '../../testing/console.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'

const ROLES = ['administrator', 'operator', 'shop', 'cashier', 'viewer'] as const
type Role = (typeof ROLES)[number]
const CARD = '4111 1111 1111 1111'
const SCRIPT = '<script>alert(1)</script>'

let kassa: Kassa
let desk: Desk
let shop: Shop
const browsers = {} as Record<Role, TestBrowser>
beforeAll(async () => {
  kassa = await startKassa()
  desk = await startDesk(kassa.worlds)
  shop = await openShop(kassa.ctx)
  for (const role of ROLES) {
    const merchantId = role === 'administrator' || role === 'operator' ? null : shop.merchantId
    const values = { role, email: `${role}@shop.example`, merchantId, refundLimits: null }
    ;({ browser: browsers[role] } = await openAs(kassa.ctx, desk, values))
  }
})
afterAll(async () => {
  await desk.close()
  await kassa.close()
})

const at = (end = '') => `/sandbox/shops/${shop.merchantId}${end}`
const product = (id: string) => findProduct(kassa.ctx.db, shop.merchantId, id)
const seenAt = async (path: string, role: Role = 'shop') => hiddenIn((await browsers[role].get(path)).text)
const audited = async (what: string) =>
  (await readAuditChain(kassa.ctx.db, 0, 10_000)).filter((row) => row.what === what)

describe('a price', () => {
  const change = (form: Record<string, string>, role: Role = 'shop') =>
    browsers[role].post(at('/products/tea/price'), form)

  test('is written as people write it, once, with the name of who did it', async () => {
    const seen = await seenAt(at('/products/tea'))
    const both = await Promise.all([change({ ...seen, price: '12,50' }), change({ ...seen, price: '12,50' })])
    expect(both.map(({ location }) => location)).toEqual(Array(2).fill(at('/products/tea?done=priced')))
    expect(await product('tea')).toMatchObject({ amountMinor: 1250 })
    const rows = await audited('product set')
    expect(rows.map(({ who, about }) => [who, about.includes(shop.merchantId)])).toContainEqual([
      'A shop',
      true,
    ])
    expect((await browsers.shop.get(at('/products/tea?done=priced'))).text).toContain(
      'The new price is $12.50',
    )
  })

  test('that somebody else has changed meanwhile is refused, and the page says what it is now', async () => {
    const seen = await seenAt(at('/products/tea'))
    await change({ ...(await seenAt(at('/products/tea'), 'operator')), price: '14' }, 'operator')
    const late = await change({ ...seen, price: '9.00' })
    expect(late.status).toBe(422)
    expect(late.text).toContain('Somebody has changed it')
    expect(late.text).toContain('Now it costs $14.00')
    expect(await product('tea')).toMatchObject({ amountMinor: 1400 })
    // Whoever has read that decides again.
    expect((await change({ ...hiddenIn(late.text), price: '9.00' })).status).toBe(303)
  })

  test('that is none is refused in words, and changes nothing', async () => {
    const before = await product('tea')
    const seen = await seenAt(at('/products/tea'))
    for (const price of ['0', '-1', '1e3', '', 'NaN', '12,345', `${'9'.repeat(30)}`, CARD, SCRIPT]) {
      const { status, text } = await change({ ...seen, price })
      expect([price, status, text.includes('role="alert"'), text.includes(SCRIPT)]).toEqual([
        price,
        422,
        true,
        false,
      ])
    }
    const dram = await browsers.shop.post(at('/products/cup/price'), {
      ...(await seenAt(at('/products/cup'))),
      price: '1900,50',
    })
    expect([dram.status, dram.text.includes('no decimals')]).toEqual([422, true])
    expect(await product('tea')).toEqual(before)
  })
})

describe('a product', () => {
  const picture = async () =>
    new Blob([
      await sharp({ create: { width: 40, height: 30, channels: 3, background: '#a33' } })
        .png()
        .toBuffer(),
    ])
  const mug = { name: 'Синяя кружка', price: '1 900', currency: 'AMD', most: '6', 'ask-address': 'required' }

  test('is added with a photo, and sent twice it is one', async () => {
    const form = { ...mug, picture: await picture(), 'words-address-en': 'Where to?', 'name-en': 'Blue mug' }
    const first = await browsers.shop.postFiles(at('/add-product'), form)
    expect(first.location).toBe(at('/products/sinyaya-kruzhka?done=added'))
    expect((await browsers.shop.postFiles(at('/add-product'), form)).location).toBe(first.location)
    const stored = await product('sinyaya-kruzhka')
    expect(stored).toMatchObject({ amountMinor: 190_000, currency: 'AMD', maxQuantity: 6 })
    expect(stored?.display).toMatchObject({
      names: { en: 'Blue mug' },
      fields: { address: { isRequired: true, labels: { en: 'Where to?' } } },
    })
    const page = await browsers.shop.get(first.location ?? '')
    const source = /src="(\/pictures\/\w+\.webp)"/.exec(page.text)?.[1] ?? ''
    expect((await browsers.shop.get(source)).headers.get('content-type')).toBe('image/webp')
    const again = await browsers.shop.postFiles(at('/add-product'), { ...mug, price: '5' })
    expect([again.status, again.text.includes('another product with this name')]).toEqual([422, true])
  })

  test('keeps what a form does not have, and loses what was emptied', async () => {
    const edit = at('/products/sinyaya-kruzhka/edit')
    const seen = await seenAt(edit)
    const { display } = (await product('sinyaya-kruzhka')) ?? {}
    await browsers.shop.postFiles(edit, { ...seen, ...mug, 'ask-address': 'off', description: 'Hand made' })
    expect((await product('sinyaya-kruzhka'))?.display).toEqual({
      picture: display?.picture,
      description: 'Hand made',
    })
    const stale = await browsers.shop.postFiles(edit, { ...seen, ...mug, description: 'Stale' })
    expect([stale.status, stale.text.includes('Somebody has changed it')]).toEqual([422, true])
  })

  test('is refused with wrong fields, and what was written stays in the form', async () => {
    const count = (await listProducts(kassa.ctx.db, shop.merchantId)).length
    for (const wrong of [
      { name: '' },
      { name: 'x'.repeat(201) },
      { name: `card ${CARD}` },
      { description: 'x'.repeat(1_001) },
      { description: `pay to ${CARD}` },
      { 'name-ru': 'x'.repeat(201) },
      { 'words-address-en': 'x'.repeat(81) },
      { price: '1900,5' },
      { most: '101' },
      { least: '50', greatest: '10' },
      { picture: new Blob(['<svg onload=alert(1)>'], { type: 'image/png' }) },
    ]) {
      const { status, text } = await browsers.shop.postFiles(at('/add-product'), {
        ...mug,
        name: 'Wrong one',
        ...wrong,
      } as Record<string, string | Blob>)
      expect([wrong, status, text.includes('role="alert"')]).toEqual([wrong, 422, true])
    }
    const large = await browsers.shop.postFiles(at('/add-product'), {
      ...mug,
      picture: new Blob([new Uint8Array(6_000_000)]),
    })
    expect([large.status, large.text.includes('5 MB')]).toEqual([413, true])
    expect(await listProducts(kassa.ctx.db, shop.merchantId)).toHaveLength(count)
  })

  test('has a name that is only text, and goes off sale once', async () => {
    const added = await browsers.shop.postFiles(at('/add-product'), { ...mug, name: `${SCRIPT} & "tea"` })
    expect(added.status).toBe(303)
    for (const path of [at('/products'), added.location ?? ''])
      expect((await browsers.shop.get(path)).text).not.toContain(SCRIPT)
    const id = 'script-alert-1-script-tea'
    for (const _ of [1, 2])
      expect((await browsers.shop.post(at(`/products/${id}/remove`), { confirm: 'yes' })).status).toBe(303)
    expect(await product(id)).toBeNull()
  })
})
