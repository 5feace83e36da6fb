/** My shop in the console: what its people change, who may, and what an attacker tries with each form. */
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { getBranding } from '../../merchants/branding.ts'
import { listInstallations } from '../../merchants/installation.ts'
import { listApprovedOrigins } from '../../merchants/origin.ts'
import { getOrderBook, usesOrderBook } from '../../operator/orders/book.ts'
import { readAuditChain } from '../../storage/audit/log.ts'
import { findProduct, listProducts } from '../../storage/merchants/products.ts'
import { hiddenIn, type TestBrowser } from '../../testing/console.ts'
import { openShop } from '../../testing/harness.ts'
import { storeShortAddress } from '../../testing/pages/short-address.ts'
import { openConsole } from '../../testing/scene/console.ts'

const ROLES = ['administrator', 'operator', 'shop', 'cashier', 'viewer'] as const
type Role = (typeof ROLES)[number]
const CARD = '4111 1111 1111 1111'
const SCRIPT = '<script>alert(1)</script>'

const { kassa, shop, signIn } = await openConsole()
const browsers = {} as Record<Role, TestBrowser>
for (const role of ROLES)
  browsers[role] = await signIn(role, role === 'viewer' ? { merchantId: shop.merchantId } : {})

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
  const mug = {
    name: 'Синяя кружка',
    price: '1 900',
    currency: 'AMD',
    most: ' 6 ',
    'ask-address': 'required',
  }

  test('is added with a photo, and sent twice it is one', async () => {
    const form = { ...mug, picture: await picture(), 'words-address-en': 'Where to?', 'name-en': 'Blue mug' }
    const first = await browsers.shop.postFiles(at('/add-product'), form)
    expect(first.location).toBe(at('/share?product=sinyaya-kruzhka&done=added'))
    expect((await browsers.shop.postFiles(at('/add-product'), form)).location).toBe(first.location)
    const stored = await product('sinyaya-kruzhka')
    expect(stored).toMatchObject({ amountMinor: 190_000, currency: 'AMD', maxQuantity: 6 })
    expect(stored?.display).toMatchObject({
      names: { en: 'Blue mug' },
      fields: { address: { isRequired: true, labels: { en: 'Where to?' } } },
    })
    const page = await browsers.shop.get(at('/products/sinyaya-kruzhka'))
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

  test('has a route, a step, offered amounts and descriptions in other languages, which an older form leaves alone', async () => {
    const gift = { ...mug, most: '1', name: 'Gift', least: '500', greatest: '50 000' }
    const whole = {
      ...gift,
      route: 'route_b',
      step: '100',
      suggested: '1000\n2 000\n',
      'description-ru': 'Подарок',
    }
    await browsers.shop.postFiles(at('/add-product'), whole)
    const stored = {
      provider: 'route_b',
      choice: {
        minMinor: 50_000,
        maxMinor: 5_000_000,
        stepMinor: 10_000,
        suggestedMinor: [100_000, 200_000],
      },
      display: { descriptions: { ru: 'Подарок' } },
    }
    expect(await product('gift')).toMatchObject(stored)
    const edit = at('/products/gift/edit')
    const { text } = await browsers.shop.get(edit)
    for (const shown of ['value="100"', '1000\n2000', 'Подарок', 'value="route_b" selected'])
      expect(text).toContain(shown)
    await browsers.shop.postFiles(edit, { ...(await seenAt(edit)), ...gift, greatest: '40 000' })
    expect(await product('gift')).toMatchObject({
      ...stored,
      choice: { ...stored.choice, maxMinor: 4_000_000 },
    })
    await browsers.shop.postFiles(edit, {
      ...(await seenAt(edit)),
      ...gift,
      route: '',
      step: '',
      suggested: '',
    })
    expect(await product('gift')).toMatchObject({ provider: null, choice: { suggestedMinor: [] } })
    expect((await product('gift'))?.display?.descriptions).toBeUndefined()
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
      { most: 'six' },
      { most: '6 or 7' },
      { most: '-1' },
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
    for (const [bytes, message] of [
      [new Uint8Array(6_000_000), '5 MB'],
      [new TextEncoder().encode('....ftypheic....'), 'HEIC'],
    ] as const) {
      const form = { ...mug, name: 'Kept as typed', picture: new Blob([bytes]) }
      const { status, text } = await browsers.shop.postFiles(at('/add-product'), form)
      // The form is there again, with what was typed.
      expect([status, text.includes(message), text.includes('value="Kept as typed"')]).toEqual([
        422,
        true,
        true,
      ])
    }
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

describe('the brand', () => {
  test('is saved whole, emptied parts are gone, and a late form is refused', async () => {
    const seen = await seenAt(at('/brand'))
    const form = {
      ...seen,
      name: 'Горный чай',
      'name-en': 'Mountain tea',
      phone: '+374 10 123456',
      withColour: 'yes',
      colour: '#a03030',
      timeZone: 'Asia/Yerevan',
    }
    expect((await browsers.shop.postFiles(at('/brand'), form)).location).toBe(at('/brand?done=changed'))
    const stored = async () => (await getBranding(kassa.ctx, shop.merchantId)).branding
    expect(await stored()).toEqual({
      name: 'Горный чай',
      names: { en: 'Mountain tea' },
      phone: '+374 10 123456',
      colour: '#a03030',
      timeZone: 'Asia/Yerevan',
      askEmail: false,
    })
    const late = await browsers.shop.postFiles(at('/brand'), { ...form, name: 'Stale' })
    expect([late.status, late.text.includes('Somebody has changed it')]).toEqual([422, true])
    const next = { ...(await seenAt(at('/brand'))), name: 'Горный чай', timeZone: 'Asia/Yerevan' }
    await browsers.shop.postFiles(at('/brand'), next)
    expect(await stored()).toEqual({ name: 'Горный чай', timeZone: 'Asia/Yerevan', askEmail: false })
    for (const wrong of [
      { name: '' },
      { phone: SCRIPT },
      { email: 'x' },
      { site: 'javascript:alert(1)' },
      { timeZone: '../../etc' },
      { withColour: 'yes', colour: 'red;}' },
    ]) {
      const { status, text } = await browsers.shop.postFiles(at('/brand'), {
        ...(await seenAt(at('/brand'))),
        ...next,
        ...wrong,
      })
      expect([wrong, status, text.includes('role="alert"'), text.includes(SCRIPT)]).toEqual([
        wrong,
        422,
        true,
        false,
      ])
    }
  })
})

describe('a place to sell', () => {
  const post = (role: Role, end: string, form: Record<string, string>) =>
    browsers[role].post(at(`/domains/${end}`), form)
  const address = 'https://tea.example'

  test('is asked for, refused with a reason, asked for again and approved', async () => {
    for (const wrong of [
      '',
      'localhost',
      'javascript:alert(1)',
      'http://tea.example',
      'https://u:p@tea.example',
      `https://${'x'.repeat(600)}.example/a`,
    ])
      expect([wrong, (await post('shop', 'ask', { address: wrong })).status]).toEqual([wrong, 422])
    for (const _ of [1, 2])
      expect((await post('shop', 'ask', { address: ' Tea.Example/ ' })).status).toBe(303)
    expect(
      (await browsers.operator.get('/sandbox/reviews')).text.split(`<bdi>${address}</bdi>`),
    ).toHaveLength(2)
    expect((await post('shop', 'approve', { address })).status).toBe(403)
    expect((await post('operator', 'refuse', { address, why: `pay to ${CARD}` })).status).toBe(422)
    expect((await post('operator', 'refuse', { address, why: SCRIPT })).status).toBe(303)
    const { text } = await browsers.shop.get(at('/domains'))
    expect([text.includes('Refused'), text.includes(SCRIPT), text.includes('&lt;script>')]).toEqual([
      true,
      false,
      true,
    ])
    expect((await post('operator', 'refuse', { address, why: 'again' })).status).toBe(422)
    await post('shop', 'ask', { address })
    for (const _ of [1, 2]) expect((await post('operator', 'approve', { address })).status).toBe(303)
    expect(await listApprovedOrigins(kassa.ctx, shop.merchantId)).toEqual([address])
    expect((await browsers.operator.get('/sandbox/reviews')).text).not.toContain(address)
    // What is approved cannot be withdrawn, and asking again changes nothing.
    await post('shop', 'withdraw', { address })
    await post('shop', 'ask', { address })
    expect(await listApprovedOrigins(kassa.ctx, shop.merchantId)).toEqual([address])
  })

  test('gets one button, however often it is pressed', async () => {
    const count = async () => (await listInstallations(kassa.ctx, shop.merchantId)).length
    const before = await count()
    await Promise.all([1, 2, 3].map(() => post('shop', 'use', { address })))
    for (const page of ['https://social.example/potter', 'https://social.example/potter'])
      expect((await post('shop', 'use', { address: page })).status).toBe(303)
    expect(await count()).toBe(before + 2)
  })
})

test('the link of a product is shared with its QR code and poster, and a short address of before is ended', async () => {
  await storeShortAddress(kassa.ctx.db, shop, { name: 'blue-cup', productId: 'cup' })
  await storeShortAddress(kassa.ctx.db, shop, { name: 'never-approved', productId: 'cup', state: 'asked' })
  const sold = { product: 'cup', installation: shop.installationId }
  const seen = async () => (await browsers.shop.get(at(`/share?${new URLSearchParams(sold)}`))).text
  const text = await seen()
  expect(text).toContain(`/pay/${shop.publicKey}/cup`)
  expect(text).toContain(`/install/${shop.publicKey}/poster?product=cup&amp;locale=en`)
  expect(text).toContain('<svg class="qr-code"')
  expect(text).toContain('/p/test/blue-cup')
  expect(text).toContain('Short addresses are not given out any more.')
  const end = (role: Role) => browsers[role].post(at('/share/retire'), { ...sold, name: 'blue-cup' })
  expect((await end('shop')).status).toBe(403)
  expect((await end('operator')).status).toBe(303)
  expect(await seen()).toContain('Ended. It leads nowhere.')
})

test('the mails of the owner are set, and a wrong address is told', async () => {
  const save = async (form: Record<string, string>) =>
    browsers.shop.post(at('/notices'), { ...(await seenAt(at('/notices'))), ...form })
  expect((await save({ email: 'nonsense' })).status).toBe(422)
  const old = await seenAt(at('/notices'))
  await save({ email: 'potter@shop.example', language: 'hy', when: 'daily', sale: 'yes', case: 'yes' })
  expect(await getOrderBook(kassa.ctx, shop.merchantId)).toMatchObject({
    email: 'potter@shop.example',
    locale: 'hy',
    told: 'daily',
    silent: ['refund', 'dispute'],
  })
  expect((await browsers.shop.get(at('/notices'))).text).toContain('No mail server is set up')
  // Somebody else has the page from before open.
  const late = await browsers.shop.post(at('/notices'), {
    ...old,
    email: 'late@shop.example',
    when: 'at_once',
  })
  expect([late.status, late.text.includes('late@shop.example')]).toEqual([422, true])
  expect(await getOrderBook(kassa.ctx, shop.merchantId)).toMatchObject({ email: 'potter@shop.example' })
  const forms = ['one@shop.example', 'two@shop.example'].map(async (email) => save({ email, when: 'daily' }))
  expect((await Promise.all(forms)).map(({ status }) => status).sort()).toEqual([303, 422])
  await save({ email: '', language: 'nothing', when: 'never', sale: 'yes' })
  expect(await getOrderBook(kassa.ctx, shop.merchantId)).toMatchObject({
    email: null,
    locale: 'hy',
    told: 'daily',
  })
})

test('a form that is refused keeps what was typed, and repeats no secret', async () => {
  const refuse = async (path: string, typed: Record<string, string>) => {
    const { status, text } = await browsers.administrator.post(path, {
      ...(await seenAt(path, 'administrator')),
      ...typed,
    })
    expect(status).toBe(422)
    return text
  }
  expect(await refuse(at('/settings/callback-set'), { url: 'no address at all' })).toContain(
    'no address at all',
  )
  const token = 'ksk_sandbox_that_nobody_has'
  expect(await refuse('/sandbox/settings/token-leaked', { token })).not.toContain(token)
})

test('going live says whose turn it is, and a second choice of the order book changes nothing', async () => {
  const { text } = await browsers.shop.get(at('/live'))
  // The first product has chosen the order book.
  expect(text.match(/data-done="no"/g)).toHaveLength(2)
  expect((await browsers.shop.post(at('/live/book'), { confirm: 'yes' })).location).toBe(
    at('/live?done=bookChosen'),
  )
  expect(await usesOrderBook(kassa.ctx, shop.merchantId)).toBe(true)
  const own = await openShop(kassa.ctx, { callbackUrl: `${kassa.url}/callback` })
  const set = await browsers.operator.post(`/sandbox/shops/${own.merchantId}/live/book`, { confirm: 'yes' })
  expect([set.status, set.text.includes('A program of your shop')]).toEqual([422, true])
})
