/** The fields of a product, on its own page and on the page of a button's payment. */

import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { setBranding } from '../../merchants/branding.ts'
import { type AskedFields, setProduct } from '../../merchants/product.ts'
import { forgetCustomer } from '../../operator/forgetting/forget.ts'
import { listPayments } from '../../storage/search/list.ts'
import { clickWidget, lookUp, readPage } from '../../testing/calls.ts'
import { argv } from '../../testing/command-line.ts'
import { openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { operateHere } from '../../testing/operator.ts'
import { scriptRoute } from '../../testing/providers/scripted-driver.ts'
import { forgetCached } from '../../testing/real-time.ts'

const logLines: string[] = []
const kassa = await startKassa({ logLines })
afterAll(() => kassa.close())
const script = scriptRoute(kassa.ctx)

const FIELDS: AskedFields = {
  name: { isRequired: true },
  phone: { isRequired: false },
  address: { isRequired: true, labels: { en: 'Where shall we send it?' } },
  note: { isRequired: false },
}
const GOOD = {
  buyer_name: ' Ani\r\nPetrosyan ',
  buyer_phone: '+374 99 123456',
  buyer_address: 'Abovyan 1\r\nYerevan',
  buyer_note: 'Ring twice',
}
const KEPT = {
  customer: { name: 'Ani Petrosyan', phone: '+374 99 123456' },
  metadata: { address: 'Abovyan 1\nYerevan', note: 'Ring twice' },
}
const CARD = '4242 4242 4242 4242'

let shop: Shop
let clicks = 0
beforeEach(async () => {
  shop = await openShop(kassa.ctx)
  await ask(FIELDS)
})

const ask = (fields: AskedFields, changes: object = {}) =>
  setProduct(kassa.ctx, {
    merchantId: shop.merchantId,
    id: 'vase',
    name: 'Vase',
    amountMinor: 1900,
    currency: 'USD',
    provider: null,
    display: { fields },
    ...changes,
  })
const payments = () => listPayments(kassa.ctx.db, { merchantId: shop.merchantId, limit: 5 })

async function post(path: string, form: Record<string, string>, locale = 'en') {
  const answer = await fetch(kassa.url + path, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', 'accept-language': locale },
    body: new URLSearchParams(form),
    redirect: 'manual',
  })
  return { status: answer.status, location: answer.headers.get('location') ?? '', html: await answer.text() }
}

/** Both ways to a payment of the product. `send`: posts what the buyer has typed. */
const WAYS = {
  async 'the page of the product'() {
    const path = `/pay/${shop.publicKey}/vase`
    const token = /name="token" value="([^"]+)"/.exec((await readPage(kassa.url + path)).html)?.[1] ?? ''
    return { path, send: (form: object, locale?: string) => post(path, { token, ...form }, locale) }
  },
  async 'the page of a button’s payment'() {
    const body = { productId: 'vase', clientReference: `fields-${++clicks}` }
    const { paymentId } = (await clickWidget(kassa.url, shop, { body })).body
    const path = `/checkout/${paymentId}`
    return { path, send: (form: object, locale?: string) => post(`${path}/continue`, { ...form }, locale) }
  },
}

describe.each(Object.entries(WAYS))('%s', (_, enter) => {
  test('asks in its language before the bank, and keeps the answers', async () => {
    const before = script.orders.size
    const { path, send } = await enter()
    expect(script.orders.size).toBe(before)
    const { html } = await readPage(kassa.url + path)
    for (const part of [
      '<label for="buyer_address">Where shall we send it?</label>',
      /<input id="buyer_name"[^>]* autocomplete="name" required maxlength="120"/,
      /<input id="buyer_phone"[^>]* autocomplete="tel" maxlength="40"[^>]* type="tel"/,
      /<textarea id="buyer_address"[^>]* autocomplete="street-address" required maxlength="300"/,
    ])
      expect(html).toMatch(part)
    const russian = (await readPage(kassa.url + path, 'ru')).html
    expect(russian).toContain('<label for="buyer_address">Адрес</label>')
    const { status, location } = await send(GOOD)
    expect([status, location]).toEqual([303, expect.stringMatching(/^https:\/\/bank\.example\/pay\//)])
    expect(await payments()).toMatchObject([{ ...KEPT, attempt: { state: 'open' } }])
    const [payment] = await payments()
    expect((await lookUp(kassa.url, shop, payment?.id ?? '')).body).toMatchObject(KEPT)
    const shown = await operateHere(
      async () => kassa.ctx,
      ['payment', 'show', '--payment', payment?.id ?? ''],
    )
    for (const part of ['Ani Petrosyan', '+374 99 123456', 'Abovyan 1', 'Ring twice'])
      expect(shown.stdout).toContain(part)
  })

  test.each([
    ['buyer_name', '  ', 'please fill this in', ''],
    ['buyer_address', '', 'please fill this in', ''],
    ['buyer_name', 'a'.repeat(121), 'at most 120 characters', 'a'.repeat(121)],
    ['buyer_note', 'ա'.repeat(501), 'at most 500 characters', 'ա'.repeat(501)],
    ['buyer_phone', 'call me', 'telephone number', 'call me'],
    ['buyer_note', `my card ${CARD}`, 'no card number', ''],
    ['buyer_phone', CARD, 'no card number', ''],
  ])(
    'refuses %s = %j beside the field, keeps the rest, and starts nothing',
    async (name, typed, why, kept) => {
      const { send } = await enter()
      const { status, html } = await send({ ...GOOD, [name]: typed })
      expect(status).toBe(422)
      expect(html).toMatch(new RegExp(`role="alert".*href="#${name}"`, 's'))
      expect(html).toMatch(new RegExp(`id="${name}"[^>]*aria-describedby="${name}-problem"`))
      expect(html).toMatch(new RegExp(`id="${name}-problem">[^<]*${why}`))
      expect(html).not.toContain('4242 4242')
      const others = ['Ani Petrosyan', '+374 99 123456', 'Abovyan 1\nYerevan', 'Ring twice', kept]
      const refused = Object.keys(GOOD).indexOf(name)
      for (const part of others.filter((_, index) => index !== refused)) expect(html).toContain(part)
      for (const each of await payments())
        expect(each).toMatchObject({ customer: null, attempt: { state: 'planned' } })
    },
  )

  test('leaves no trace in the log or in an address, and forgets with the buyer', async () => {
    logLines.length = 0
    const { send } = await enter()
    const answers = [await send({ ...GOOD, buyer_name: '' }), await send({ ...GOOD, buyer_note: CARD })]
    answers.push(await send(GOOD), await send(GOOD))
    const traces = [...logLines, ...answers.map(({ location }) => location)].join('\n')
    expect(logLines.length).toBeGreaterThan(0)
    expect(traces).not.toMatch(/Ani|Petrosyan|99\W?(?:20)?123456|Abovyan|Yerevan|Ring|4242\W?(?:20)?4242/)
    await forgetCustomer(kassa.ctx, { phone: '+37499123456', dryRun: false })
    const [payment] = await payments()
    expect(payment?.customer).toBeNull()
    expect(Object.keys(payment?.metadata ?? {}).sort()).toEqual(['clientReference', 'productId', 'source'])
  })
})

test('a button leads nowhere without the required fields, and does not ask twice for an optional one', async () => {
  const { path, send } = await WAYS['the page of a button’s payment']()
  const { location } = await send({})
  expect(location).toBe(kassa.ctx.baseUrl + path)
  await send({ buyer_name: 'Ani', buyer_phone: '', buyer_address: 'Abovyan 1' })
  await send({ buyer_name: 'Eve', buyer_phone: '', buyer_address: 'Eve 1' })
  expect(await payments()).toMatchObject([{ customer: { name: 'Ani' }, metadata: { address: 'Abovyan 1' } }])
  expect((await readPage(kassa.url + path)).html).not.toContain('buyer_')
})

test('a button asks on the manual route too, before the page says that the shop confirms', async () => {
  await ask(FIELDS, { provider: 'manual' })
  forgetCached()
  const { path, send } = await WAYS['the page of a button’s payment']()
  expect((await readPage(kassa.url + path)).html).toContain('buyer_address')
  const { status, location } = await send(GOOD)
  expect([status, location]).toEqual([303, kassa.ctx.baseUrl + path])
  expect((await readPage(kassa.url + path)).html).not.toContain('buyer_')
  expect(await payments()).toMatchObject([{ ...KEPT, attempt: { state: 'open' } }])
})

test('an e-mail address and the fields are asked, and refused, together', async () => {
  await setBranding(kassa.ctx, shop.merchantId, { askEmail: true })
  const { send } = await WAYS['the page of a button’s payment']()
  const { html } = await send({ ...GOOD, buyer_name: '', email: 'ani' })
  for (const part of ['value="ani"', 'href="#buyer_name"', 'Ring twice']) expect(html).toContain(part)
  await send({ ...GOOD, email: 'ani@example.com' })
  expect(await payments()).toMatchObject([{ customer: { ...KEPT.customer, email: 'ani@example.com' } }])
})

test('the same form sent again corrects the answers, and a product without fields keeps none', async () => {
  const { send } = await WAYS['the page of the product']()
  await send(GOOD)
  await send({ ...GOOD, buyer_name: 'Anna', buyer_note: '' })
  const [payment] = await payments()
  expect(payment?.customer).toEqual({ ...KEPT.customer, name: 'Anna' })
  expect(payment?.metadata).not.toHaveProperty('note')
  const { body } = await clickWidget(kassa.url, shop, { body: { clientReference: 'plain' } })
  await post(`/checkout/${body.paymentId}/continue`, GOOD)
  expect((await lookUp(kassa.url, shop, body.paymentId)).body).not.toHaveProperty('customer')
})

test('the command sets, shows, changes and removes fields, and says what is wrong', async () => {
  const operate = (...flags: string[]) =>
    operateHere(
      async () => kassa.ctx,
      argv`product set --merchant ${shop.merchantId} --id jar --name Jar --amount 5 --currency USD ${flags}`,
    )
  const { stdout } = await operate(
    ...argv`--field name=required phone=optional --field-label ${'name:hy=Անունը'} ${'name:en=Who?'}`,
  )
  expect(stdout).toContain('Asks the buyer for  name: required, Անունը (hy), Who? (en); phone: optional\n')
  const again = await operate('--field', 'phone=off', 'name=optional', '--field-label', 'name:hy=')
  expect(again.stdout).toContain(
    'Asks the buyer for  name: optional, Who? (en) (instead of name: required, Who? (en), Անունը (hy); phone: optional)\n',
  )
  const kept = JSON.parse((await operate('--json')).stdout)
  expect(kept.product.fields).toEqual({ name: { labels: { en: 'Who?' }, isRequired: false } })
  expect((await operate('--remove', 'fields')).stdout).toContain('Asks the buyer for  none (instead of ')
  for (const [flags, why] of [
    [['--field', 'colour=required'], 'name, phone, address, note'],
    [['--field', 'name=maybe'], 'off, optional, required'],
    [['--field-label', 'name:de=Name'], 'hy, ru, en'],
    [['--field-label', 'note:en=Colour'], '--field note=optional'],
    [['--field', 'note=optional', '--field-label', `note:en=${'x'.repeat(81)}`], '1 to 80 characters'],
  ] as const) {
    const { code, stderr } = await operate(...flags)
    expect([code, stderr]).toEqual([1, expect.stringContaining(why)])
  }
})
